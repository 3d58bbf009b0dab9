import Configuration
import Devices
import Gpsd
import IIO
import Readings
import Testing

@testable import sensorbrokerd

@Suite("A key of the configuration") struct SettingKeyTests {
    @Test("occurs once, in one block with its section")
    func unique() {
        #expect(Set(SettingKey.all.map(\.title)).count == SettingKey.all.count)
        #expect(
            SettingKey.sections == [
                "Location", "Accelerometer", "Gyroscope", "Magnetometer", "Heading", "Gravity", "LinearAcceleration",
                "Rotation", "Inclination", "Light", "Proximity", "Pressure", "Temperature", "Humidity", "Voltage",
                "Current",
                "Power",
                "Energy",
                "Resistance",
                "AmbientTemperature",
                "ObjectTemperature",
                "Co2",
                "Voc",
                "Oxygen",
                "Pm1",
                "Pm2p5",
                "Pm4",
                "Pm10",
                "Clients",
            ])
        for section in SettingKey.sections { #expect(SettingKey.all.contains { $0.section == section }) }
    }

    @Test("changes are listed as they would be written")
    func changes() throws {
        var settings = Settings()
        #expect(SettingKey.changes(from: settings, to: settings) == [])
        settings[.location].warmGrace = .infinity
        settings.sensors.mountMatrix = try .init(text: "1, 0, 0; 0, 1, 0; 0, 0, 1")
        #expect(
            SettingKey.changes(from: Settings(), to: settings) == [
                "[Location] WarmGraceSec=infinity", "[Accelerometer] MountMatrix=1, 0, 0; 0, 1, 0; 0, 0, 1",
            ])
        #expect(SettingKey.changes(from: settings, to: Settings()).contains("[Accelerometer] MountMatrix="))
    }

    @Test("is overridden by the command line")
    func commandLine() throws {
        var settings = Settings()
        settings.gpsd = try .init(parsing: "file:1")
        let arguments = try Arguments(["--iio", "ip:words"])
        let both = settings.overridden(by: arguments)
        #expect(both.gpsd.host == "file")
        #expect(both.sensors.address.description == "ip:words")
        #expect(settings.overridden(by: try Arguments(["--gpsd", "words:2"])).gpsd.host == "words")
        // Without hardware, its address is not a setting.
        #expect(settings.overridden(by: try Arguments(["--mock"])) == Settings())
    }
}
