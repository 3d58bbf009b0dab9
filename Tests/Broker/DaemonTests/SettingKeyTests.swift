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
        let kinds = Kind.all.map(\.row).filter(\.hasDevice)
        #expect(SettingKey.sections == kinds.map(\.section) + ["Clients"])
        #expect(SettingKey.sections.starts(with: ["Location", "Accelerometer", "Gyroscope"]))
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
