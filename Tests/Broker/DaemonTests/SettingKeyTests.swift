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
        #expect(Set(Settings.table.keys.map(\.title)).count == Settings.table.keys.count)
        let kinds = Kind.all.map(\.row).filter(\.hasDevice)
        #expect(Settings.table.sections.map(\.name) == kinds.map(\.section) + ["Clients"])
        #expect(Settings.table.sections.map(\.name).starts(with: ["Location", "Accelerometer", "Gyroscope"]))
        for section in Settings.table.sections { #expect(section.keys.allSatisfy { $0.section == section.name }) }
        for section in Settings.table.sections { #expect(!section.keys.isEmpty) }
    }

    @Test("changes are listed as they would be written")
    func changes() throws {
        var settings = Settings()
        #expect(Settings.table.changes(from: settings, to: settings) == [])
        settings[.location].warmGrace = .infinity
        settings.sensors.mountMatrix = try .init(text: "1, 0, 0; 0, 1, 0; 0, 0, 1")
        #expect(
            Settings.table.changes(from: Settings(), to: settings) == [
                "[Location] WarmGraceSec=infinity", "[Accelerometer] MountMatrix=1, 0, 0; 0, 1, 0; 0, 0, 1",
            ])
        #expect(Settings.table.changes(from: settings, to: Settings()).contains("[Accelerometer] MountMatrix="))
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
