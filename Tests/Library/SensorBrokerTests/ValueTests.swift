import Foundation
import SensorBroker
import SensorBrokerTesting
import Testing

/// Values as text, and as what other formats are made of.
@Suite struct ValueTests {
    private let at = BootTime(nanoseconds: 1_500_000_000)

    @Test("what is printed is one short line")
    func descriptions() throws {
        #expect(
            "\(Reading(Acceleration(x: 0.02, y: 0, z: 9.806_65), of: .accelerometer, at: at))"
                == "accelerometer: x 0.02, y 0.0, z 9.807 m/s²")
        #expect("\(Temperature(21.456))" == "21.46 °C" && "\(Heading(-0.0))" == "0.0°")
        #expect("\(at)" == "1.500000 s after boot" && "\(BootTime(nanoseconds: -5_000))" == "-0.000005 s after boot")
        #expect("\(ResourceState.unavailable(reason: "unplugged"))" == "unavailable: unplugged")
        #expect(
            "\(ResourceState.active) \(Kind.acceleration) \(Orientation.bottomUp)" == "active acceleration bottom-up")
        let gap = Gap(resource: .location, cause: .slowClient, count: 12, from: at, until: at + 240_000_000)
        #expect("\(gap)" == "location: 12 readings missing in 240 ms (slowClient)")
        #expect("\(Grant(resource: .location, interval: .zero))" == "location: every sample")
        #expect(
            "\(Grant(resource: .location, interval: .milliseconds(1_500), batch: .seconds(2)))"
                == "location: every 1.5 s, in batches of 2 s")
        var request = SensorRequest(.accelerometer)
        #expect("\(request)" == "accelerometer")
        request.interval = .microseconds(500)
        request.filter = .mean
        #expect("\(request)" == "accelerometer every 500 µs, mean")
        #expect("\(SensorEvent<Location>.gap(gap))" == "\(gap)")
        #expect(
            "\(LifecycleEvent.reconnecting(after: .milliseconds(250), attempt: 2))" == "attempt 2 to connect in 250 ms")
    }

    private func survives<Value: Codable & Hashable>(_ value: Value) throws {
        let copy = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        #expect(copy == value && Set([value, copy]).count == 1)
    }

    @Test("values survive being encoded")
    func codable() throws {
        let berlin = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
        try survives(Reading(berlin, of: .location, at: at, sequence: 3))
        try survives(
            SensorEvent<Acceleration>.reading(Reading(Acceleration(x: 1, y: 2, z: 3), of: .accelerometer, at: at)))
        try survives(SensorEvent<Location>.disconnected(.brokerMissing(paths: ["/x"])))
        try survives(Gap(resource: .location, cause: .other("rust"), count: nil, from: at, until: at))
        try survives(Gap.Cause.slowConsumer)
        try survives(SensorRequest(.accelerometer))
        try survives(Grant(resource: .location, interval: .milliseconds(20)))
        try survives(ResourceState.stale(reason: "silent"))
        try survives(Kind.pressure)
        try survives(Rotation(x: 0, y: 0, z: 0, w: 1))
        try survives(
            SensorResource(
                name: .location, kind: .location, state: .active, intervals: .zero ... .seconds(1),
                defaultInterval: .seconds(1)))
        #expect(String(decoding: try JSONEncoder().encode(at), as: UTF8.self) == "1500000000")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ResourceName.self, from: Data("\"Not A Name\"".utf8))
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Kind.self, from: Data("\"luck\"".utf8)) }
    }

    @Test("a resource and a usage are printed in one line")
    func lines() {
        var resource = SensorResource(
            name: .accelerometer, kind: .acceleration, state: .active, intervals: .zero ... .seconds(1),
            defaultInterval: .seconds(1))
        #expect("\(resource)" == "accelerometer is active")
        resource.device = "bmi160 at /dev/iio:device0"
        #expect("\(resource)" == "accelerometer is active: bmi160 at /dev/iio:device0")
        let usage = BrokerUsage(connections: 1, subscriptions: 2, managers: 3, listeners: 4)
        #expect("\(usage)" == "connections 1, subscriptions 2, unused 0, managers 3, listeners 4")
    }

    @Test("a location has one coordinate, or none")
    func coordinate() throws {
        var location = Location(fix: .noPosition)
        #expect(location.coordinate == nil)
        location.coordinate = Coordinate(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
        #expect(location.latitudeDegrees == 52.5 && location.longitudeDegrees == 13.4)
        let there = Coordinate(latitudeDegrees: 52.501, longitudeDegrees: 13.4)
        #expect(((location.coordinate?.distance(to: there) ?? 0) - 111).magnitude < 1)
        location.coordinate = nil
        #expect(location.latitudeDegrees == nil)
    }

    @Test("a client sees its own words, and Foundation's; the daemon's are not among them")
    func words() {
        // Both compile only because the library has no type of that name.
        let length = Measurement(value: 1, unit: UnitLength.meters)
        struct Demand {}
        struct Sample {}
        #expect(length.value == 1 && "\(Demand())\(Sample())".isEmpty == false)
    }
}
