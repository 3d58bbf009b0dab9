import Foundation
import Readings
import Testing

@testable import IIO

@Suite struct SightingTests {
    private static let hub = "uhid/0003:1209:0001.0001"

    @Test("finds only accelerometers, with their distinguishing properties")
    func finds() throws {
        let tree = try SensorTree()
        #expect(tree.sightings.isEmpty)
        try tree.put("devices/\(Self.hub)/uevent", "DRIVER=hid-sensor-hub\nHID_ID=0003:1\nHID_PHYS=\nHID_UNIQ=A1")
        try tree.plug(10, at: "\(Self.hub)/HID-SENSOR-200073.1.auto", ["label": "accel-base"])
        try tree.plug(2, at: "i2c-0/0-000f", ["name": "kxcj91008", "location": "display"])
        try tree.put("bus/iio:device3/name", "a gyroscope")
        try tree.put("bus/trigger0/name", "accel_3d-dev10")
        let found = tree.sightings
        #expect(found.map(\.id) == ["iio:device2", "iio:device10"])
        #expect(found.map(\.title) == ["kxcj91008 (display)", "accel_3d (base, serial A1)"])
        #expect(found.map(\.identity.serial) == [nil, "A1"])
    }

    @Test("a sensor that returns is recognised by its serial number, as a new appearance")
    func serial() throws {
        let tree = try SensorTree()
        try tree.put("devices/\(Self.hub)/uevent", "HID_ID=1\nHID_UNIQ=A1")
        try tree.plug(0, at: "\(Self.hub)/HID-SENSOR-200073.1.auto")
        let before = try #require(tree.sightings.first)
        #expect(before.appearance.isPresent)
        try tree.unplug(0, at: Self.hub)
        #expect(!before.appearance.isPresent)
        let other = "uhid/0003:1209:0001.000C"
        try tree.put("devices/\(other)/uevent", "HID_ID=1\nHID_UNIQ=A1")
        try tree.plug(1, at: "\(other)/HID-SENSOR-200073.7.auto")
        let after = try #require(tree.sightings.first)
        #expect(after.identity == before.identity && after.appearance != before.appearance)
    }

    @Test("without a serial number it is recognised by where it is connected, whatever its number")
    func path() throws {
        let tree = try SensorTree()
        try tree.plug(0, at: "usb1/1-3/\("0003:1209:0001.0001")/HID-SENSOR-200073.1.auto")
        try tree.plug(1, at: "usb1/1-4/\("0003:1209:0001.0002")/HID-SENSOR-200073.2.auto")
        let before = tree.sightings.map(\.identity)
        #expect(before[0] != before[1])
        try tree.unplug(0, at: "usb1/1-3")
        try tree.plug(5, at: "usb1/1-3/\("0003:1209:0001.00AB")/HID-SENSOR-200073.9.auto")
        #expect(Set(tree.sightings.map(\.identity)) == Set(before))
    }

    @Test("a channel is named by type, number and modifier; what the driver calls it does not matter")
    func channelNames() {
        let names = [
            "in_voltage0_raw": "voltage0", "in_voltage0_battery_raw": "voltage0", "in_temp0_object_raw": "temp0_object",
            "in_temp_object_raw": "temp_object", "in_concentration_co2_input": "concentration_co2",
            "in_voltage0-voltage1_raw": "voltage0-voltage1", "in_voltage0_i_en": "voltage0_i",
            "in_accel_x_en": "accel_x",
            "in_massconcentration_pm2p5_input": "massconcentration_pm2p5", "in_voltage3_input_power_raw": "voltage3",
            "in_rot0_from_north_magnetic_tilt_comp_raw": "rot0_from_north_magnetic_tilt_comp",
        ]
        for (file, id) in names { #expect(ChannelName(ofFile: file)?.id == id, "\(file)") }
        for file in ["in_voltage_scale", "out_voltage0_raw", "name", "in_voltage0_label"] {
            #expect(ChannelName(ofFile: file) == nil)
        }
    }

    @Test("of a channel with one value, libiio leaves the driver's name before it")
    func channelAttributes() {
        let alone = ChannelAttributes(["main_battery_raw", "scale"])
        #expect(alone.name == "main_battery" && alone.all == ["raw", "scale"])
        #expect(alone.forLibIIO("raw") == "main_battery_raw" && alone.forLibIIO("scale") == "scale")
        let usual = ChannelAttributes(["raw", "scale", "mean_raw"], name: "battery")
        #expect(usual.name == "battery" && usual.all == ["raw", "scale", "mean_raw"])
        #expect(ChannelAttributes(["sampling_frequency"]).name == nil)
    }

    @Test("all inputs of a converter are found")
    func inputs() throws {
        let tree = try SensorTree()
        try tree.plug(
            0, at: "i2c/ina226",
            [
                "in_voltage0_raw": "1", "in_voltage1_raw": "2", "in_voltage10_aux_raw": "3", "in_power2_raw": "4",
                "scan_elements/in_voltage0-voltage1_en": "0",
            ])
        let sighting = try #require(tree.sightings.first)
        #expect(sighting.inputs[.voltage] == [["voltage0"], ["voltage1"], ["voltage10"], ["voltage0-voltage1"]])
        #expect(sighting.kinds == [.acceleration, .voltage, .power])
        #expect(sighting.furtherQuantities == (1...3).map { Quantity(.voltage, input: $0) })
    }

    @Test("a number stands before what modifies a channel's type, and is no part of that")
    func numberedModifiers() throws {
        let tree = try SensorTree()
        try tree.plug(
            0, at: "i2c/mlx90632", ["in_temp_object_raw": "1", "in_temp1_object_raw": "2", "in_temp_ambient_raw": "3"])
        try tree.plug(1, at: "i2c/pms7003", ["in_massconcentration_pm10_input": "4"])
        try tree.plug(
            2, at: "i2c/sps30", ["in_massconcentration_pm1_input": "5", "in_massconcentration_pm10_input": "6"])
        let inputs = tree.sightings.map { $0.inputs.filter { $0.key != .acceleration } }
        let particles = [["massconcentration_pm10"]]
        #expect(
            inputs == [
                [.objectTemperature: [["temp_object"], ["temp1_object"]], .ambientTemperature: [["temp_ambient"]]],
                [.pm10: particles], [.pm1: [["massconcentration_pm1"]], .pm10: particles],
            ])
    }

    @Test("udev's place counts before the driver's, and does not make another sensor of it")
    func place() throws {
        let tree = try SensorTree()
        try tree.plug(0, at: "a/b", ["label": "accel-display"])
        let before = try #require(tree.sightings.first)
        try tree.put("udev/data/c245:0", "E:ACCEL_LOCATION=base")
        let after = try #require(tree.sightings.first)
        #expect([before.placement.word, after.placement.word] == ["display", "base"])
        #expect(before.identity == after.identity && after.answers(to: "base") && after.answers(to: "accel-display"))
        #expect(after.path.hasSuffix("devices/a/b/iio:device0"))
    }

    @Test("indistinguishable sensors are distinguished by their numbers")
    func ordinal() throws {
        let tree = try SensorTree()
        try tree.put("devices/\(Self.hub)/uevent", "HID_ID=1\nHID_UNIQ=A1")
        try tree.plug(0, at: "\(Self.hub)/HID-SENSOR-200073.1.auto")
        try tree.plug(1, at: "\(Self.hub)/HID-SENSOR-200073.2.auto")
        #expect(Set(tree.sightings.map(\.identity)).count == 2)
    }

    @Test("texts of a sensor cannot forge a line")
    func hostile() throws {
        let tree = try SensorTree()
        try tree.put("devices/\(Self.hub)/uevent", "HID_ID=1\nHID_UNIQ=\u{1b}[2Jx" + String(repeating: "y", count: 200))
        try tree.plug(0, at: Self.hub + "/a.1.auto", ["name": "\u{7}bell"])
        let title = try #require(tree.sightings.first).title
        #expect(title.unicodeScalars.allSatisfy { $0.value >= 0x20 } && title.count < 120)
    }

    @Test("udev is asked by number, and waited for only if it is working")
    func udev() throws {
        let tree = try SensorTree()
        try tree.plug(0, at: "a/b")
        #expect(tree.sightings.map(\.isSettled) == [true])
        try tree.put("udev/control", "")
        #expect(tree.sightings.map(\.isSettled) == [false])
        try tree.put(
            "udev/data/c245:0", "I:1\nE:ACCEL_LOCATION=display\nE:ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1")
        #expect(tree.sightings.map(\.isSettled) == [true])
        let directory = tree.root.appending(path: "bus/iio:device0").path
        #expect(tree.udev.property("ACCEL_MOUNT_MATRIX", of: directory) == "1, 0, 0; 0, 1, 0; 0, 0, 1")
        #expect(tree.udev.property("ACCEL_MOUNT", of: directory) == nil)
        try tree.put("udev/data/c245:0", "E:ACCEL_LOCATION=")
        #expect(tree.udev.property("ACCEL_LOCATION", of: directory) == nil, "as for libudev")
    }

    @Test("one device is found once, with all its kinds")
    func kinds() throws {
        let tree = try SensorTree()
        try tree.plug(
            0, at: "spi0/imu",
            ["name": "bmi160", "in_anglvel_x_raw": "0", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0"])
        try tree.plug(1, at: "i2c-0/0-000f", ["in_anglvel_x_raw": "0"])
        #expect(tree.sightings.map(\.kinds) == [[.acceleration, .angularVelocity], [.acceleration]])
    }
}
