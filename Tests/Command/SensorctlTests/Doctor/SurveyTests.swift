import Glibc
import Platform
import Readings
import Testing

@testable import sensorctl

@Suite("How doctor parses other programs' output")
struct SurveyTests {
    @Test("systemctl's properties, a paragraph per unit")
    func units() {
        let units = UnitSurvey.parse(
            """
            ExecMainStatus=78
            StatusText=
            Id=sensorbrokerd.service
            LoadState=loaded
            ActiveState=failed
            Result=exit-code
            UnitFileState=indirect

            Id=sensorbrokerd.socket
            LoadState=loaded
            ActiveState=active
            Result=success
            UnitFileState=enabled

            """)
        #expect(
            units["sensorbrokerd.service"]
                == UnitView(active: "failed", result: "exit-code", enabled: "indirect", exitStatus: 78))
        #expect(units["sensorbrokerd.socket"] == UnitView())
        #expect(units.count == 2)
        #expect(UnitSurvey.parse("garbage\n\n=\n").isEmpty)
    }

    @Test("systemctl's errors, and its output without a service")
    func silentSystemd() {
        let words = "Failed to connect to bus: No such file or directory"
        #expect(UnitSurvey.views(of: (1, words + "\n")).0 == .silent(words))
        #expect(UnitSurvey.views(of: (124, "")).0 == .silent("systemctl does not answer"))
        #expect(UnitSurvey.views(of: (0, "")).0 == .silent("no output"))
        #expect(UnitSurvey.views(of: nil).0 == .silent("systemctl cannot be run"))
        #expect(UnitSurvey.views(of: (0, "Id=sensorbrokerd.service\n")).0 == .answers)
    }

    @Test("the daemon's configuration: the settings in force, or the first error")
    func configuration() {
        let text =
            "# /etc/sensorbroker/sensorbrokerd.conf\n\n[Location]\n# a.conf:1\nGpsd=box:2948\n[Accelerometer]\nContext=ip:box\n"
        #expect(ConfigurationSurvey.parse(0, text) == ConfigurationView(gpsd: "box:2948", context: "ip:box"))
        #expect(ConfigurationSurvey.parse(78, "a.conf:1: wrong\na.conf:2: too\n")?.error == "a.conf:1: wrong")
        #expect(ConfigurationSurvey.parse(78, "")?.error != nil)
        #expect(ConfigurationSurvey.parse(0, "# a\n# note: no group\nGpsd=x\n")?.notes == ["no group"])
        #expect(ConfigurationSurvey.parse(127, "sh: not found") == nil)
    }

    @Test("the gpsd that the broker misses is the one to ask, whatever the configuration says")
    func missedGpsd() {
        func address(_ reason: String?, _ state: String = "unavailable") -> String? {
            GpsdSurvey.address(missedBy: [
                resource(named: "accelerometer", state: "idle"),
                resource(named: "location", state: state, reason: reason),
            ])
        }
        #expect(address("no gpsd at box:2948 (Connection refused): start it there with -G") == "box:2948")
        #expect(address("no gpsd at [::1]:2947: the name is unknown") == "[::1]:2947")
        #expect(address("gpsd has no receiver") == nil && address(nil) == nil)
        #expect(address("no gpsd at box:2948 (x): y", "stale") == nil)
    }

    @Test("gpsd's receivers, and a peer that is not a gpsd")
    func gpsd() {
        let greeting = #"{"class":"VERSION","release":"3.22"}"#
        let none = greeting + "\r\n" + #"{"class":"DEVICES","devices":[]}"# + "\r\n"
        let two =
            greeting + "\r\n"
            + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0"},{"class":"DEVICE","path":"/dev/ttyS1"}]}"#
        #expect(GpsdSurvey.receivers(in: none) == .answers(receivers: 0))
        #expect(GpsdSurvey.receivers(in: two) == .answers(receivers: 2))
        #expect(GpsdSurvey.receivers(in: greeting) == .answers(receivers: 0))
        #expect(GpsdSurvey.receivers(in: "SSH-2.0\r\n") == .stranger)
        #expect(GpsdSurvey.receivers(in: "") == .stranger)
    }

    @Test("iiod's version, and a peer that is not an iiod")
    func iiod() {
        #expect(IiodSurvey.version(in: "0.24.c4498c2\n") == .answers())
        #expect(IiodSurvey.version(in: "SSH-2.0-OpenSSH_9.2p1\r\n") == .stranger)
        #expect(IiodSurvey.version(in: "") == .stranger)
    }

    @Test(
        "the place of a service",
        arguments: [
            ("localhost:2948", "localhost", 2948), ("[::1]:99", "::1", 99), ("[::1]", "::1", 7), ("::1", "::1", 7),
            ("box", "box", 7), ("box:", "box", 7), ("box:x", "box", 7), ("[box", "[box", 7), ("", "", 7),
        ])
    func place(text: String, host: String, port: UInt16) {
        #expect(ServiceSurvey.parts(of: text, port: 7) == (host, port))
    }

    @Test("addresses say whether a service is here, in private networks, outside of them, or nowhere")
    func places() {
        #expect(ServiceSurvey("127.1", port: 1).place == .here)
        #expect(ServiceSurvey("192.0.2.54:1", port: 1).place == .elsewhere(outside: "192.0.2.54"))
        #expect(ServiceSurvey("10.255.255.1", port: 1).place == .elsewhere(outside: nil))
        #expect(ServiceSurvey("no such host", port: 1).place == .unknown)
    }

    @Test("a service whose host has no address says why, and what to do")
    func noAddress() throws {
        let host = "no such host"
        var words: [String] = []
        for view in [GpsdSurvey.view(at: host), IiodSurvey.view(at: "ip:\(host)")] where view.place == .unknown {
            if case .unreachable(let silence) = view.answer { words.append(silence.words) }
        }
        #expect(words.count == 2 && words.allSatisfy { $0.contains(": try 'getent hosts \(host)'") }, "\(words)")
    }

    @Test("a service of this host that takes no connection in time hangs; another host may be off")
    func silence() {
        #expect(Silence(SystemError("connect", code: ETIMEDOUT), at: .here) == .mute)
        #expect(Silence(SystemError("connect", code: ETIMEDOUT), at: .elsewhere(outside: nil)) != .mute)
        #expect(Silence(SystemError("connect", code: ECONNREFUSED), at: .here) == .refused)
    }

    @Test("a program's output and status")
    func output() throws {
        let output = try #require(ProgramOutput.of("echo a; echo b; exit 3"))
        #expect(output == (3, "a\nb\n"))
    }
}

@Suite("A device of the kernel's") struct SensorSurveyTests {
    @Test(
        "is a sensor of the first kind of which it has the files",
        arguments: [
            (["in_accel_x_raw", "in_accel_y_raw", "in_accel_z_raw", "in_temp_raw"], Kind.acceleration),
            (["in_accel_x_raw", "name"], nil), (["in_illuminance_input"], .illuminance), (["in_voltage3_en"], .voltage),
            (["in_rot_quaternion_en", "in_timestamp_en"], .rotation), ([], nil), (["in_intensity_both_raw"], nil),
            (["in_voltage0_battery_raw"], .voltage), (["in_temp1_object_raw"], .objectTemperature),
        ] as [([String], Kind?)])
    func kind(files: [String], kind: Kind?) { #expect(SensorSurvey.kind(among: files) == kind) }
}
