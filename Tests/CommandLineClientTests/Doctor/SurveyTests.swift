import Testing

@testable import CommandLineClient

@Suite("What the doctor understands of what others print")
struct SurveyTests {
    @Test("systemctl's properties, a paragraph a unit")
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

    @Test("the daemon's configuration: what is in force, or the first error")
    func configuration() {
        let text =
            "# /etc/sensorbroker/sensorbrokerd.conf\n\n[Location]\n# a.conf:1\nGpsd=box:2948\n[Accelerometer]\nContext=ip:box\n"
        #expect(ConfigurationSurvey.parse(0, text) == ConfigurationView(gpsd: "box:2948", context: "ip:box"))
        #expect(ConfigurationSurvey.parse(78, "a.conf:1: wrong\na.conf:2: too\n")?.error == "a.conf:1: wrong")
        #expect(ConfigurationSurvey.parse(78, "")?.error != nil)
        #expect(ConfigurationSurvey.parse(127, "sh: not found") == nil)
    }

    @Test("gpsd's receivers, and that somebody else is no gpsd")
    func gpsd() {
        let greeting = #"{"class":"VERSION","release":"3.22"}"#
        let none = greeting + "\r\n" + #"{"class":"DEVICES","devices":[]}"# + "\r\n"
        let two =
            greeting + "\r\n"
            + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0"},{"class":"DEVICE","path":"/dev/ttyS1"}]}"#
        #expect(GpsdSurvey.receivers(in: none) == .receivers(0))
        #expect(GpsdSurvey.receivers(in: two) == .receivers(2))
        #expect(GpsdSurvey.receivers(in: greeting) == .receivers(0))
        #expect(GpsdSurvey.receivers(in: "SSH-2.0\r\n") == .stranger)
        #expect(GpsdSurvey.receivers(in: "") == .stranger)
    }

    @Test(
        "where gpsd is",
        arguments: [("localhost:2947", "localhost", "2947"), ("[::1]:99", "::1", "99"), ("box", "box", "2947")])
    func place(text: String, host: String, port: String) {
        #expect(GpsdSurvey.parts(of: text) == (host, port))
    }

    @Test("a program's output and status")
    func output() throws {
        let output = try #require(ProgramOutput.of("echo a; echo b; exit 3"))
        #expect(output == (3, "a\nb\n"))
    }
}
