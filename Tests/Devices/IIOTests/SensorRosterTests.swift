import Devices
import Foundation
import Readings
import Testing

@testable import IIO

@Suite struct SensorRosterTests {
    private let tree: SensorTree

    init() throws { tree = try SensorTree() }

    private func sighting(
        _ number: Int, serial: String? = nil, at path: String = "here", label: String? = nil, name: String = "accel_3d",
        property: String? = nil, kinds: [Kind] = [.acceleration], inputs: [Kind: [[String]]]? = nil
    ) throws -> Sighting {
        let directory = "bus/iio:device\(number)"
        try tree.put("\(directory)/name", name)
        let appearance = try #require(Sighting.Appearance(directory: tree.root.appending(path: directory).path))
        return Sighting(
            id: "iio:device\(number)", appearance: appearance, name: name,
            placement: Placement(property: property, label: label),
            identity: Sighting.Identity(serial: serial, path: path, name: name, label: label), isSettled: true,
            inputs: inputs ?? Dictionary(uniqueKeysWithValues: kinds.map { ($0, [[$0.wire]]) }), path: path)
    }

    /// The serial numbers or paths by resource: `-` if nothing is there.
    private func seated(_ roster: SensorRoster) -> [String] {
        roster.entries.map { "\($0.named[0].name)=\($0.sighting?.identity.serial ?? $0.sighting?.id ?? "-")" }
    }

    /// The resources by device, with the number of the sensor that they belong to.
    private func named(_ roster: SensorRoster) -> [String] {
        roster.entries.map { entry in
            let names = entry.named.map { "\($0.name)" }.joined(separator: " ")
            return "\(names)=\(entry.sighting?.id.suffix(1) ?? "-")"
        }
    }

    @Test("the one in the display is the accelerometer, whatever the order in which the kernel found them")
    func order() throws {
        let sensors = [
            try sighting(0, serial: "B", label: "accel-base"), try sighting(1, serial: "D", label: "accel-display"),
            try sighting(2, serial: "C"), try sighting(3, serial: "A"),
        ]
        for found in [sensors, sensors.reversed()] {
            var roster = SensorRoster()
            #expect(roster.update(found) == [0, 1, 2, 3])
            #expect(
                seated(roster) == ["accelerometer=D", "accelerometer:1=A", "accelerometer:2=C", "accelerometer:3=B"])
        }
    }

    @Test("a sensor that returns is the same resource, under any number, and its name is not reused meanwhile")
    func back() throws {
        var roster = SensorRoster()
        let (first, second) = (try sighting(0, serial: "A"), try sighting(1, serial: "B"))
        _ = roster.update([first, second])
        #expect(roster.update([second]) == [0])
        #expect(roster.update([second, try sighting(0, serial: "C")]) == [2])
        #expect(seated(roster) == ["accelerometer=-", "accelerometer:1=B", "accelerometer:2=C"])
        #expect(roster.update([second, try sighting(7, serial: "A"), try sighting(0, serial: "C")]) == [0])
        #expect(seated(roster) == ["accelerometer=A", "accelerometer:1=B", "accelerometer:2=C"])
    }

    @Test("a missing sensor without a serial number may be found at another place")
    func elsewhere() throws {
        var roster = SensorRoster()
        _ = roster.update([try sighting(0, at: "port 1")])
        _ = roster.update([])
        #expect(roster.update([try sighting(1, at: "port 2")]) == [0])
        #expect(roster.update([try sighting(1, at: "port 2"), try sighting(2, at: "port 1")]) == [1])
        _ = roster.update([])
        #expect(roster.update([try sighting(3, at: "port 3", name: "kxcj91008")]) == [2], "another model")
    }

    @Test("of two that have one serial number, each keeps its name and its identity when the other goes")
    func sharedSerial() throws {
        var roster = SensorRoster()
        let (first, second) = (try sighting(0, serial: "1", at: "a"), try sighting(1, serial: "1", at: "b"))
        _ = roster.update([second])
        #expect(roster.entries[0].sighting?.identityText == "serial 1 accel_3d")
        _ = roster.update([first, second])
        #expect(named(roster) == ["accelerometer=1", "accelerometer:1=0"])
        let texts = ["serial 1 b accel_3d", "serial 1 a accel_3d"]
        #expect(roster.entries.map { $0.sighting?.identityText } == texts)
        #expect(roster.update([first]) == [0])
        #expect(named(roster) == ["accelerometer=-", "accelerometer:1=0"])
        #expect(roster.entries[1].sighting?.identityText == texts[1], "which one it is does not depend on the other")
        // They come back with each other's numbers, and then one of them at another place.
        _ = roster.update([])
        _ = roster.update([try sighting(2, serial: "1", at: "b"), try sighting(3, serial: "1", at: "a")])
        #expect(named(roster) == ["accelerometer=2", "accelerometer:1=3"])
        _ = roster.update([try sighting(3, serial: "1", at: "a")])
        _ = roster.update([try sighting(4, serial: "1", at: "c"), try sighting(3, serial: "1", at: "a")])
        #expect(named(roster) == ["accelerometer=4", "accelerometer:1=3"])
    }

    @Test("one that has a serial number of its own is the same at another place, whichever is chosen")
    func moved() throws {
        var roster = SensorRoster(choosing: "base")
        _ = roster.update([try sighting(0, serial: "A", at: "a", label: "accel-display")])
        _ = roster.update([])
        _ = roster.update([try sighting(1, serial: "A", at: "b", label: "accel-display")])
        #expect(named(roster) == ["accelerometer=-", "accelerometer:1=1"])
        #expect(roster.entries[1].sighting?.identityText == "serial A accel_3d accel-display")
    }

    @Test("the configured one is the accelerometer, and without it there is none")
    func chosen() throws {
        for word in ["B", "base", "accel-base", "iio:device1"] {
            var roster = SensorRoster(choosing: word)
            _ = roster.update([try sighting(0, serial: "A", label: "accel-display")])
            #expect(seated(roster) == ["accelerometer=-", "accelerometer:1=A"])
            _ = roster.update([
                try sighting(0, serial: "A", label: "accel-display"), try sighting(1, serial: "B", label: "accel-base"),
            ])
            #expect(seated(roster) == ["accelerometer=B", "accelerometer:1=A"])
        }
    }

    private func source(_ roster: SensorRoster, after former: String? = nil) -> String {
        let source = ScreenSensor.source(among: roster.accelerometers, after: former.flatMap { ResourceName($0) })
        return source.name?.description ?? source.reason ?? ""
    }

    @Test("the screen's is the first in the display by its path, whatever its name and its number")
    func screen() throws {
        var roster = SensorRoster()
        #expect(source(roster) == "accelerometer", "which reports that it is missing")
        // In iio-sensor-proxy's order, one of which nothing is known is in the display like any that is declared to be
        // there.
        _ = roster.update([
            try sighting(2, at: "c"), try sighting(0, at: "b", label: "accel-display"),
            try sighting(1, at: "a", property: "base"),
        ])
        #expect(named(roster) == ["accelerometer=0", "accelerometer:1=2", "accelerometer:2=1"])
        #expect(source(roster) == "accelerometer")
        _ = roster.update([
            try sighting(2, at: "0"), try sighting(0, at: "b", label: "accel-display"),
        ])
        #expect(named(roster)[1] == "accelerometer:1=2", "without a serial number it may be connected elsewhere")
        #expect(source(roster) == "accelerometer:1")
        #expect(source(roster, after: "accelerometer") == "accelerometer", "it is in use")
    }

    @Test("if all are in the base, the screen has none, and it is reported of which that holds and from where")
    func onlyBase() throws {
        var roster = SensorRoster()
        _ = roster.update([try sighting(0, at: "a", property: "base"), try sighting(1, at: "b", label: "accel-base")])
        let words = source(roster)
        #expect(words.contains("accelerometer is in the base, by udev's ACCEL_LOCATION,"))
        #expect(words.contains("accelerometer:1 is in the base, by its label;"))
    }

    @Test("a chosen one is the screen's only if it is in the display")
    func chosenScreen() throws {
        for (word, name) in [("base", "accelerometer:1"), ("iio:device2", "accelerometer")] {
            var roster = SensorRoster(choosing: word)
            _ = roster.update([
                try sighting(0, at: "a", property: "base"), try sighting(1, at: "b"), try sighting(2, at: "c"),
            ])
            #expect(source(roster) == name)
        }
    }

    @Test("a default that matches nothing is reported with the sensors present, until it has matched once")
    func unmet() throws {
        var roster = SensorRoster(choosing: "nosuch\u{1b}[2J")
        _ = roster.update([])
        let nothing = try #require(roster.unmetChoice)
        #expect(
            nothing.contains("no accelerometer 'nosuch\\u001b[2J'")
                && nothing.contains("no other: connect it"))
        _ = roster.update([try sighting(3, serial: "A", label: "accel-display")])
        let other = try #require(roster.unmetChoice)
        #expect(other.contains("Default=") && other.contains("accel_3d (display, serial A) at iio:device3"))
        let assignment = SensorAssignment()
        assignment.update(other)
        if DeviceNode.hasBus { #expect(assignment.absence.description == other) }
        _ = roster.update(try (0..<9).map { try sighting($0, serial: "S\($0)") })
        #expect(roster.unmetChoice?.contains(" and 5 more: ") == true)

        roster = SensorRoster(choosing: "B")
        _ = roster.update([try sighting(0, serial: "B")])
        #expect(roster.unmetChoice == nil)
        _ = roster.update([])
        #expect(roster.unmetChoice == nil, "it is known by name then")
        #expect(SensorRoster().unmetChoice == nil)
    }

    @Test("a default that udev makes of a sensor which has its name already is reported as that")
    func late() throws {
        var roster = SensorRoster(choosing: "display")
        _ = roster.update([try sighting(0, at: "a")])
        _ = roster.update([try sighting(0, at: "a", property: "display")])
        #expect(named(roster) == ["accelerometer=-", "accelerometer:1=0"])
        let words = try #require(roster.unmetChoice)
        #expect(words.contains("accelerometer:1 is 'display'") && words.hasSuffix("restart sensorbrokerd"))
    }

    @Test("without a change nothing is reported, and the number of served sensors is bounded")
    func bounded() throws {
        var roster = SensorRoster()
        let many = try (0..<SensorRoster.mostOfKind + 8).map { try sighting($0, serial: "S\($0)") }
        #expect(roster.update(many).count == SensorRoster.mostOfKind)
        #expect(roster.update(many).isEmpty)
        #expect(roster.entries.count == SensorRoster.mostOfKind)
        let refusal = try #require(roster.refusal)
        #expect(refusal.hasPrefix("not every accelerometer of accel_3d (serial S"))
        #expect(refusal.contains("there are \(SensorRoster.mostOfKind), "))
        var enough = SensorRoster()
        _ = enough.update(Array(many.prefix(SensorRoster.mostOfKind)))
        #expect(enough.refusal == nil)
    }

    private static let imu: [Kind] = [.acceleration, .angularVelocity]

    @Test("a sensor has a resource for each kind that it measures, and they come and go with it")
    func several() throws {
        var roster = SensorRoster()
        let imu = try sighting(1, at: "spi", name: "bmi160", kinds: Self.imu)
        let gyroscope = try sighting(2, serial: "G", name: "gyro_3d", kinds: [.angularVelocity])
        let other = try sighting(3, serial: "I", name: "bmi160", kinds: Self.imu)
        #expect(roster.update([imu]) == [0])
        #expect(roster.update([imu, gyroscope, other]) == [1, 2])
        let names = ["accelerometer gyroscope=1", "gyroscope:1=2", "accelerometer:1 gyroscope:2=3"]
        #expect(named(roster) == names)
        #expect(roster.update([gyroscope, other]) == [0])
        let moved = try sighting(4, at: "elsewhere", name: "bmi160", kinds: Self.imu)
        #expect(roster.update([moved, gyroscope, other]) == [0])
        #expect(named(roster) == ["accelerometer gyroscope=4"] + names.dropFirst())
    }

    /// A converter with inputs for the voltage, and one for the current.
    private func converter(_ number: Int, at path: String, voltages: Int) throws -> Sighting {
        let inputs: [Kind: [[String]]] = [.voltage: (0..<voltages).map { ["voltage\($0)"] }, .current: [["current3"]]]
        return try sighting(number, at: path, name: "ina226", inputs: inputs)
    }

    @Test("all inputs of a converter are resources, and of two converters the first inputs come first")
    func inputs() throws {
        var roster = SensorRoster()
        let (first, second) = (try converter(1, at: "a", voltages: 2), try converter(2, at: "b", voltages: 3))
        #expect(roster.update([first]) == [1])
        #expect(named(roster).last == "voltage current voltage:1=1")
        #expect(roster.entries.last?.named.map(\.quantity.input) == [0, 0, 1])
        _ = roster.update([first, second])
        #expect(named(roster)[1...] == ["voltage current voltage:1=1", "voltage:2 current:1 voltage:3 voltage:4=2"])
        #expect(roster.update([second]) == [1] && roster.update([second, first]) == [1], "it returns to its names")

        for found in [[first, second], [second, first]] {
            var together = SensorRoster()
            _ = together.update(found)
            #expect(
                named(together)[1...] == ["voltage current voltage:2=1", "voltage:1 current:1 voltage:3 voltage:4=2"])
        }
    }

    @Test("the number of resources of a kind is bounded, and a converter with more has some")
    func manyInputs() throws {
        var roster = SensorRoster()
        _ = roster.update(try (0...SensorRoster.mostOfKind / 16).map { try converter($0, at: "\($0)", voltages: 16) })
        let voltages = roster.entries.flatMap(\.named).filter { $0.kind == .voltage }
        #expect(voltages.count == SensorRoster.mostOfKind && Set(voltages.map(\.name)).count == voltages.count)
    }

    @Test("a sensor that returns with another kind gets another resource, one that returns with fewer keeps its own")
    func otherKinds() throws {
        var roster = SensorRoster()
        #expect(roster.update([try sighting(1, serial: "A")]) == [0])
        #expect(roster.update([try sighting(2, serial: "A", kinds: Self.imu)]) == [0])
        #expect(named(roster) == ["accelerometer gyroscope=2"])
        #expect(roster.update([try sighting(3, serial: "A")]) == [0])
        #expect(named(roster) == ["accelerometer gyroscope=3"])
    }

    @Test(
        "the first accelerometer is unassigned while there is only a gyroscope, whose device may turn out to have one")
    func gyroscopeFirst() throws {
        var roster = SensorRoster()
        #expect(roster.update([try sighting(1, at: "a", name: "gyro", kinds: [.angularVelocity])]) == [1])
        #expect(named(roster) == ["accelerometer=-", "gyroscope=1"])
        _ = roster.update([])
        _ = roster.update([try sighting(2, at: "b", name: "gyro", kinds: Self.imu)])
        #expect(named(roster) == ["accelerometer gyroscope:1=2", "gyroscope=-"])
    }
}
