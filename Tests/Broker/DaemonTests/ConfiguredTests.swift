import Admission
import Configuration
import Devices
import Delivery
import Gpsd
import IIO
import Platform
import Readings
import Service
import Testing

@testable import sensorbrokerd

@Suite("The combined configuration files") struct ConfiguredTests {
    private func configured(_ texts: String...) throws(ConfigurationErrors) -> Configured<Settings> {
        try Configured(texts.enumerated().map { ("f\($0)", Array($1.utf8)) }, descriptors: DescriptorLimit.most)
    }

    private func errors(_ texts: String...) -> [ConfigurationProblem] {
        do throws(ConfigurationErrors) {
            _ = try Configured<Settings>(
                texts.enumerated().map { ("f\($0)", Array($1.utf8)) }, descriptors: DescriptorLimit.most)
            return []
        } catch { return error.all }
    }

    @Test("has the defaults if they are empty")
    func defaults() throws {
        let nothing = try configured("", "# nothing\n[Location]\n")
        #expect(nothing.settings == Settings())
        #expect(nothing.origins.isEmpty)
        #expect(nothing.files == ["f0", "f1"])
    }

    @Test("has the last value of each line, with its origin")
    func order() throws {
        let both = try configured(
            "[Location]\nGpsd=a\nWarmGraceSec=1\nWarmGraceSec=2\n",
            "[Location]\nWarmGraceSec=3\n[Location]\nWarmGraceSec=4")
        #expect(both.settings.gpsd.host == "a")
        #expect(both.settings[.location].warmGrace == TimeSpan("4"))
        #expect(both.origins["[Location] WarmGraceSec="].map { "\($0.file):\($0.line)" } == "f1:4")
        #expect(both.origins["[Location] Gpsd="].map { "\($0.file):\($0.line)" } == "f0:2")
        let back = try configured("[Location]\nGpsd=a\n", "[Location]\nGpsd=\n")
        #expect(back.settings == Settings() && back.origins.isEmpty)
    }

    @Test("sets each part of the settings by its own key")
    func keys() throws {
        let others = Kind.all.filter {
            $0.row.iio?.type != "accel" && $0.row.iio?.type != "anglvel" && $0.row.hasDevice
        }
        .filter { $0 != .location }
        .map { kind in
            "[\(kind.row.section)]\nWarmGraceSec=0\nMinimumIntervalSec=1ms\nDefaultIntervalSec=30s\nGroups=40\n"
                + (kind.row.canBeCalibrated ? "Scale=2\nOffset=3\n" : "")
        }.joined()
        let settings = try configured(
            """
            [Location]
            Gpsd = gps.example:1
            WarmGraceSec = infinity
            MinimumIntervalSec = 0.5
            DefaultIntervalSec = 2
            Groups = 10 root
            [Accelerometer]
            Context = ip:box
            MountMatrix = 0, 1, 0; -1, 0, 0; 0, 0, 1
            Default = base
            MountMatrixSources = mount_matrix udev
            WarmGraceSec = 0
            MinimumIntervalSec = 1ms
            DefaultIntervalSec = 20ms
            Groups = 20
            FastGroups = 0 sensorbroker-fast
            Scale = 1.02,0.98,1 accelerometer:1=0.99
            Offset = 0.5
            [Gyroscope]
            Scale = 2
            Offset = 0,0,-0.05
            WarmGraceSec = 0
            MinimumIntervalSec = 2ms
            DefaultIntervalSec = 30ms
            Groups = 30
            [Clients]
            StuckTimeoutSec = 5
            MaxConnections = 100
            MaxConnectionsPerUser = 10
            MaxSubscriptionsPerUser = 5
            """, others
        ).settings
        #expect(settings.gpsd.description == "gps.example:1")
        #expect(settings[.location].warmGrace == .infinity)
        #expect(settings[.location].policy.intervals.minimumNanoseconds == 500_000_000)
        #expect(settings[.location].policy.intervals.defaultNanoseconds == 2_000_000_000)
        #expect(settings.sensors.address.description == "ip:box")
        #expect(settings.sensors.mountMatrix?.description == "0, 1, 0; -1, 0, 0; 0, 0, 1")
        #expect(settings.sensors.chosen == "base")
        #expect(settings.sensors.mountOrigins == [.device, .udev])
        #expect(settings.sensors.scales[.accelerometer] == [1.02, 0.98, 1, 0])
        #expect(ResourceName("accelerometer:1").flatMap { settings.sensors.scales[$0]?.x } == 0.99)
        #expect(ResourceName("gyroscope").flatMap { settings.sensors.offsets[$0] } == [0, 0, -0.05, 0])
        #expect(ResourceName("light").flatMap { settings.sensors.scales[$0]?.x } == 2)
        #expect(settings[.acceleration].policy.warmGraceNanoseconds == 0)
        #expect(settings[.acceleration].policy.intervals.minimumNanoseconds == 1_000_000)
        #expect(settings.stuckTimeout.nanoseconds == 5_000_000_000)
        #expect(settings.access.rights(groups: [0], isTrusted: false).kinds == [.location])
        let open: Set<Kind> = [.acceleration, .orientation, .tilt, .hinge]
        #expect(settings.access.rights(groups: [20], isTrusted: false).kinds == open)
        #expect(settings.access.rights(groups: [30], isTrusted: false).kinds == [.angularVelocity])
        #expect(settings.access.rights(groups: [0], isTrusted: false).shortestNanoseconds == 0)
        #expect(settings.connections.total == 100 && settings.connections.perUser == 10)
        #expect(settings.subscriptions.perUser == 5)
        // None was left out.
        #expect(Settings.table.keys.allSatisfy { $0.text(settings) != $0.text(Settings()) })
    }

    @Test(
        "is refused as a whole for one wrong line, with a remedy",
        arguments: [
            ("[Location]\nGpsd=host:0", 2, "HOST:PORT"), ("[Location]\ngpsd=x", 2, "did you mean Gpsd="),
            ("[location]\nGpsd=x", 1, "did you mean [Location]"), ("[Clock]\nGpsd=x", 1, "[Location] [Accelerometer]"),
            ("[Accelerometer]\nContext=serial:", 2, "ip:HOST"), ("[Accelerometer]\nGpsd=x", 2, "no 'Gpsd='"),
            ("[Accelerometer]\nMountMatrix=0,0,0;0,1,0;0,0,1", 2, "row 1 has the length 0 instead of 1"),
            ("[Accelerometer]\nMountMatrix=1,0,0;0,-1,0;1,0,0", 2, "rows 1 and 3 are not at right angles"),
            ("[Accelerometer]\nGroups=4294967295", 2, "no group '4294967295'"),
            ("[Clients]\nMaxConnections=100\nMaxConnectionsPerUser=101", 3, "more than MaxConnections=100"),
            ("[Clients]\nMaxSubscriptionsPerUser=2049", 2, "more than MaxConnections=2048"),
            ("[Accelerometer]\nMountMatrixSources=udev, hwdb", 2, "'udev,' is unknown"),
            ("[Accelerometer]\nMountMatrixSources=udev udev", 2, "occurs twice"),
            ("[Location]\nWarmGraceSec=-1", 2, "not a time span"), ("[Location]\nWarmGraceSec=2d", 2, "infinity"),
            ("[Location]\nMinimumIntervalSec=0", 2, "1us to 1d"),
            ("[Location]\nMinimumIntervalSec=infinity", 2, "1us to 1d"),
            ("[Clients]\nStuckTimeoutSec=infinity", 2, "1s to 1d"),
            ("[Clients]\nMaxConnectionsPerUser=0", 2, "from 1 to 65536"),
            ("[Clients]\nMaxConnections=many", 2, "from 8 to 65536"),
            ("[Location]\nGroups=root no-such-group", 2, "no group 'no-such-group'"),
            ("[Location]\nGroup=root", 2, "did you mean Groups="),
            ("[Light]\nScale=much", 2, "'much' is not plausible; write a number such as 1.02, and light:1=0.98"),
            ("[Light]\nScale=0", 2, "is not plausible"), ("[Light]\nScale=nan", 2, "is not plausible"),
            ("[Accelerometer]\nScale=1,2", 2, "1.02,1.02,1.02"), ("[Light]\nOffset=1e10", 2, "is not plausible"),
            ("[Light]\nScale=gravity=2", 2, "'gravity' is not a resource of this section"),
            ("[Light]\nScale=2 light=3", 2, "light occurs twice"), ("[Rotation]\nScale=2", 2, "no 'Scale='"),
            ("[Location]\nMinimumIntervalSec=2\nDefaultIntervalSec=1\n", 3, "shorter"),
        ])
    func wrong(text: String, line: Int, words: String) throws {
        let problems = errors(text)
        #expect(problems.count == 1)
        let problem = try #require(problems.first)
        #expect(problem.file == "f0" && problem.line == line)
        #expect(problem.message.contains(words), "\(problem)")
    }

    @Test("is refused if it asks for more connections than the process may have descriptors")
    func descriptors() throws {
        func check(_ text: String, _ descriptors: Int) throws -> Configured<Settings> {
            try Configured([("f", Array(text.utf8))], descriptors: descriptors)
        }
        let asked = "[Clients]\nMaxConnections=4096\n"
        #expect(try check(asked, 4_096 + 384).remarks["[Clients] MaxConnections="] == nil)
        let errors = #expect(throws: ConfigurationErrors.self) { try check(asked, 4_096 + 383) }
        #expect(errors?.first.line == 2)
        #expect(errors?.first.message.contains("LimitNOFILE=4480") == true)
        #expect(errors?.first.message.contains("or write 4095 or less") == true)
        // The default is nobody's error, but it is reported.
        let usual = try check("", 1_024)
        #expect(usual.remarks["[Clients] MaxConnections="]?.contains("LimitNOFILE=2432") == true)
        #expect(usual.settings.connections.total == 2_048)
    }

    @Test("reports all errors of all files, in order")
    func all() {
        let problems = errors("[Location]\nA=1\nB=2\nx\n", "[Nothing]\n[Clients]\nC=3")
        #expect(problems.map { "\($0.file):\($0.line ?? 0)" } == ["f0:2", "f0:3", "f0:4", "f1:1", "f1:3"])
    }

    @Test("never prints more of a hostile value than fits a line")
    func hostile() {
        let problems = errors("[Location]\nGpsd=\u{1b}[2J\(String(repeating: "x", count: 10_000))\n\u{7}\u{9b}=1\n")
        #expect(problems.count == 2)
        for problem in problems {
            #expect(
                problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
            #expect(problem.description.utf8.count < 1_000)
        }
    }

    @Test("the desktop's services may read what a desktop needs, unless other groups are configured")
    func desktop() throws {
        var settings = Settings()
        settings.desktopGroup = try GroupList("70")
        let rights = settings.access.rights(groups: [70], isTrusted: false)
        #expect(rights.kinds.isSuperset(of: [.illuminance, .proximity, .heading]))
        #expect(rights.kinds.isDisjoint(with: [.magneticField, .rotation, .pressure]))
        #expect(!settings.access.rights(groups: [71], isTrusted: false).mayRead(.illuminance))
        settings[.illuminance].groups = try GroupList("71")
        #expect(!settings.access.rights(groups: [70], isTrusted: false).mayRead(.illuminance))
        #expect(settings.access.rights(groups: [71], isTrusted: false).mayRead(.illuminance))
    }
}
