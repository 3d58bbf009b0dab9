import Testing

@testable import sensorctl

@Suite("The doctor's diagnosis")
struct DiagnosisTests {
    /// A host on which everything is as it should be.
    private var host: HostView {
        var view = HostView(socket: SocketView(path: "/run/sensorbroker/io.sensorbroker.Broker", answer: .answers))
        view.service = UnitView(status: "2 devices active, 1 client, 1 lane")
        view.listeners = ["sensorbrokerd.socket": UnitView(), "sensorbrokerd-admin.socket": UnitView()]
        view.user = UserView(name: "alice")
        view.configuration = ConfigurationView()
        view.resources = [
            ResourceView(name: "location", state: "active"), ResourceView(name: "accelerometer", state: "idle"),
        ]
        view.gpsd = .receivers(1)
        view.sensors = [SensorView(id: "iio:device0", name: "accel_3d")]
        return view
    }

    private func diagnosis(_ change: (inout HostView) -> Void) -> Diagnosis {
        var view = host
        change(&view)
        return Diagnosis(view: view)
    }

    /// The only finding that is bad.
    private func fault(_ change: (inout HostView) -> Void) throws -> Finding {
        let bad = diagnosis(change).findings.filter { $0.verdict == .bad }
        #expect(bad.count == 1, "\(bad)")
        return try #require(bad.first)
    }

    @Test("finds no fault on a healthy host, and lists what it examined")
    func health() {
        let diagnosis = diagnosis { _ in }
        #expect(diagnosis.isWell)
        #expect(diagnosis.findings.allSatisfy { $0.verdict == .ok && $0.remedy == nil })
        #expect(
            diagnosis.findings.map(\.subject) == [
                "service", "configuration", "rights", "socket", "location", "accelerometer", "gpsd",
                "iio:device0 (accel_3d)",
            ])
        #expect(diagnosis.findings[0].words.contains("2 devices active"))
    }

    @Test("distinguishes a service that waits for its first client from a failed one")
    func waiting() {
        let waiting = diagnosis { $0.service?.active = "inactive" }
        #expect(waiting.isWell)
    }

    @Test(
        "says why a service failed, and gives a remedy",
        arguments: [
            ("exit-code", 78, "--check-config"), ("exit-code", 69, "stop that program"), ("exit-code", 77, "sysusers"),
            ("watchdog", 0, "journalctl"), ("core-dump", 0, "journalctl"),
        ])
    func failedService(result: String, status: Int, remedy: String) throws {
        let finding = try fault { view in
            view.service?.active = "failed"
            view.service?.result = result
            view.service?.exitStatus = status
        }
        #expect(finding.subject == "service")
        #expect(finding.remedy?.contains(remedy) == true)
        #expect(finding.remedy?.contains("systemctl restart sensorbrokerd") == true)
    }

    @Test("notices a service that is not installed, or masked", arguments: ["not-found", "masked"])
    func absentService(load: String) throws {
        let finding = try fault { $0.service?.load = load }
        #expect(finding.subject == "service" && finding.remedy != nil)
    }

    @Test("a host without systemd is noted and not a fault")
    func noSystemd() {
        let diagnosis = diagnosis { view in
            view.manager = .absent
            view.service = nil
            view.listeners = [:]
        }
        #expect(diagnosis.isWell)
        #expect(diagnosis.findings[0].words.contains("does not run systemd"))
        #expect(diagnosis.findings[0].verdict == .note)
    }

    @Test("a systemd that does not answer differs from a missing one, and is not a fault")
    func silentSystemd() {
        for (isRoot, remedy) in [(false, "sudo systemctl start dbus"), (true, "systemctl status")] {
            let diagnosis = diagnosis { view in
                view.manager = .silent("Failed to connect to bus: No such file or directory")
                view.service = nil
                view.listeners = [:]
                view.user.isRoot = isRoot
            }
            #expect(diagnosis.isWell)
            #expect(diagnosis.findings[0].words.contains("Failed to connect to bus"))
            #expect(diagnosis.findings[0].remedy?.contains(remedy) == true)
        }
    }

    @Test("a broker that does not answer is reported, with a remedy")
    func muteBroker() throws {
        for (isService, remedy) in [(true, "systemctl restart sensorbrokerd"), (false, "kill -CONT")] {
            let finding = try fault { view in
                view.isService = isService
                view.socket.answer = .mute
                view.resources = []
            }
            #expect(finding.subject == "socket" && finding.words.contains("does not answer"))
            #expect(finding.remedy?.contains(remedy) == true)
        }
    }

    @Test("a socket unit that does not listen is to be enabled")
    func silentListener() throws {
        let finding = try fault { $0.listeners["sensorbrokerd.socket"]?.active = "inactive" }
        #expect(finding.remedy == "sudo systemctl enable --now sensorbrokerd.socket")
    }

    @Test("a socket unit that gave up is to be reset, after its service is cured")
    func failedListener() throws {
        let finding = try fault { view in
            view.listeners["sensorbrokerd.socket"]?.active = "failed"
            view.listeners["sensorbrokerd.socket"]?.result = "service-start-limit-hit"
        }
        #expect(finding.words.contains("service-start-limit-hit"))
        #expect(finding.remedy?.contains("reset-failed") == true)
    }

    @Test("a socket unit that is not enabled is noted")
    func disabledListener() {
        let diagnosis = diagnosis { $0.listeners["sensorbrokerd.socket"]?.enabled = "disabled" }
        #expect(diagnosis.isWell)
        #expect(diagnosis.findings.contains { $0.verdict == .note && $0.remedy?.contains("enable") == true })
    }

    @Test("a note on the configuration is not a fault, and is quoted")
    func note() {
        let findings = diagnosis { $0.configuration?.notes = ["there is no group"] }.findings
        let finding = findings.first { $0.subject == "configuration" && $0.verdict == .note }
        #expect(finding?.words == "there is no group")
    }

    @Test("an error of the configuration is quoted")
    func configuration() throws {
        let finding = try fault { $0.configuration?.error = "/etc/x.conf:3: no such key" }
        #expect(finding.words == "/etc/x.conf:3: no such key")
        #expect(finding.remedy?.contains("--check-config") == true)
    }

    @Test("a user outside the group gets a remedy with the user's name")
    func stranger() throws {
        let bad = diagnosis { view in
            view.user.isMember = false
            view.user.isListed = false
            view.socket.answer = .denied
        }.findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["rights", "socket"])
        #expect(bad[0].remedy?.contains("usermod -aG sensorbroker alice") == true)
    }

    @Test("a socket that is closed to a user has the remedy of its own group, or of its owner")
    func closedSocket() throws {
        func remedy(_ owner: SocketOwner) throws -> String? {
            try fault { view in
                view.isService = false
                view.user.isMember = false
                view.resources = []
                view.socket = SocketView(path: "/tmp/s/broker", answer: .denied, owner: owner)
            }.remedy
        }
        #expect(try remedy(SocketOwner(user: "root", group: "boat")) == "sudo usermod -aG boat alice, and log in again")
        // Nobody joins root's group for it; and sudo would ask another broker.
        #expect(try remedy(SocketOwner(user: "root"))?.contains("sudo sensorctl --socket /tmp/s/broker") == true)
        #expect(try remedy(SocketOwner(user: "bob"))?.contains("it is bob's alone") == true)
        #expect(try remedy(SocketOwner())?.contains("its directory is closed") == true)
    }

    @Test("without systemd, no remedy is a command of it")
    func remediesWithoutSystemd() {
        let changes: [(inout HostView) -> Void] = [
            { $0.socket.answer = .missing }, { $0.socket.answer = .refused }, { $0.socket.answer = .mute },
            { $0.socket.answer = .failed("x") }, { $0.configuration?.error = "x" }, { $0.user.groupExists = false },
            { $0.gpsd = .receivers(0) }, { $0.gpsd = .unreachable(.refused) },
            { view in
                view.gpsd = .receivers(1)
                view.gpsdPlace = .elsewhere(outside: "192.0.2.5")
                view.resources = [ResourceView(name: "location", state: "unavailable", reason: "no gpsd at 192.0.2.5")]
            },
        ]
        for change in changes {
            let findings = diagnosis { view in
                change(&view)
                view.manager = .absent
                view.service = nil
                view.listeners = [:]
            }.findings
            let texts = findings.map { "\($0.words) \($0.remedy ?? "")" }
            #expect(
                !texts.contains { $0.contains("systemctl") || $0.contains("journalctl") || $0.contains("systemd-") },
                "\(texts)")
        }
    }

    @Test("a gpsd that is not there is nothing to say where the broker has its position from another one")
    func otherGpsd() {
        let served = diagnosis { $0.gpsd = .unreachable(.refused) }
        #expect(served.isWell && !served.findings.contains { $0.subject == "gpsd" })
        func told(_ state: String, _ reason: String? = nil) -> Finding.Verdict? {
            diagnosis { view in
                view.gpsd = .unreachable(.refused)
                view.resources[0] = ResourceView(name: "location", state: state, reason: reason)
            }.findings.first { $0.subject == "gpsd" }?.verdict
        }
        #expect(told("unavailable", "no gpsd at localhost:2947") == .bad)
        // Nobody uses it, so whether there is a position is not known.
        #expect(told("idle") == .note)
    }

    @Test("a user who was added to the group after login is told to log in again")
    func newMember() throws {
        #expect(try fault { $0.user.isMember = false }.remedy?.contains("log in again") == true)
    }

    @Test("a host without the group gets a remedy; root does not need the group")
    func noGroup() throws {
        func change(_ view: inout HostView) {
            view.user.groupExists = false
            view.user.isMember = false
            view.user.isListed = false
        }
        #expect(try fault(change).remedy == "sudo systemd-sysusers")
        #expect(
            diagnosis { view in
                change(&view)
                view.user.isRoot = true
            }.isWell)
    }

    @Test(
        "a socket without a broker is reported, with the way to start one",
        arguments: [SocketView.Answer.missing, .refused])
    func silentSocket(answer: SocketView.Answer) throws {
        let finding = try fault { view in
            view.socket.answer = answer
            view.resources = []
        }
        #expect(finding.subject == "socket" && finding.remedy?.contains("enable --now") == true)
    }

    @Test("a socket that was not tried, since its service has failed, is not judged")
    func untriedSocket() throws {
        let finding = try fault { view in
            view.service?.active = "failed"
            view.socket.answer = .untried
            view.resources = []
        }
        #expect(finding.subject == "service")
    }

    @Test("for a broker started by hand, only its own findings are shown")
    func ownBroker() throws {
        let diagnosis = diagnosis { view in
            view.isService = false
            view.user.isMember = false
            view.service?.active = "failed"
            view.socket.answer = .refused
        }
        #expect(!diagnosis.findings.contains { ["service", "rights", "configuration"].contains($0.subject) })
        #expect(diagnosis.findings[0].remedy?.contains("--socket") == true)
    }

    @Test("an unavailable resource is reported with its reason; a released one is a note")
    func resources() throws {
        let finding = try fault { view in
            view.resources[1].state = "unavailable"
            view.resources[1].reason = "it was unplugged: connect it again"
        }
        #expect(finding.subject == "accelerometer" && finding.words.contains("connect it again"))

        let released = diagnosis { $0.resources[1].state = "released" }
        #expect(released.isWell)
        #expect(released.findings.contains { $0.remedy == "sudo sensorctl reacquire accelerometer" })
    }

    @Test("nothing is wrong if all accelerometers are in the base; else what is derived is said with its source")
    func derived() {
        let source = ResourceView(name: "accelerometer", state: "idle")
        let laptop = diagnosis { view in
            view.resources = [source, ResourceView(name: "orientation", state: "unavailable", reason: "in the base")]
        }
        #expect(laptop.isWell && laptop.findings.contains { $0.verdict == .note && $0.words.contains("in the base") })
        #expect(MonitoringCheck(laptop).line.contains("unavailable=0"))
        let unplugged = diagnosis { view in
            view.resources = [source, ResourceView(name: "orientation", state: "unavailable")]
            view.resources[0].state = "unavailable"
        }
        #expect(!unplugged.isWell)
        let tablet = diagnosis { view in
            view.resources = [
                source, ResourceView(name: "orientation", state: "idle", description: "from accelerometer"),
            ]
        }
        #expect(tablet.findings.contains { $0.words == "is idle, from accelerometer" })
    }

    @Test("a missing gpsd is a fault if the location is unavailable, else a note")
    func absentGpsd() throws {
        let bad = diagnosis { view in
            view.gpsd = .unreachable(.refused)
            view.resources[0].state = "unavailable"
        }.findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location", "gpsd"])
        #expect(bad[1].words.contains("localhost:2947") && bad[1].remedy?.contains("gpsd.socket") == true)
        #expect(diagnosis { $0.gpsd = .unreachable(.refused) }.isWell)
    }

    @Test("a gpsd on another host that does not answer is a fault, with a remedy")
    func silentRemoteGpsd() throws {
        for (silence, remedy) in [(Silence.other("Connection timed out"), "firewall"), (.refused, "-G")] {
            let finding = try fault { view in
                view.configuration?.gpsd = "10.0.0.7:2947"
                view.gpsdPlace = .elsewhere(outside: nil)
                view.gpsd = .unreachable(silence)
            }
            #expect(finding.subject == "gpsd" && finding.words.contains("10.0.0.7:2947"))
            #expect(finding.remedy?.contains(remedy) == true)
            #expect(finding.remedy?.contains("enable --now") == false)
        }
    }

    @Test("a gpsd that answers us but not the broker is blocked by the unit's list of addresses, if that lacks it")
    func filteredGpsd() throws {
        func change(_ view: inout HostView) {
            view.configuration?.gpsd = "gps.example:2947"
            view.gpsdPlace = .elsewhere(outside: "192.0.2.54")
            view.resources[0].state = "unavailable"
            view.resources[0].reason = "no gpsd at gps.example:2947 (Connection timed out)"
        }
        let bad = diagnosis(change).findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location", "gpsd"])
        #expect(bad.last?.words.contains("the broker") == true)
        for remedy in ["systemctl edit sensorbrokerd", "IPAddressAllow=192.0.2.54", "systemctl restart sensorbrokerd"] {
            #expect(bad.last?.remedy?.contains(remedy) == true)
        }
        let inside = diagnosis { view in
            change(&view)
            view.gpsdPlace = .elsewhere(outside: nil)
        }.findings.filter { $0.verdict == .bad }
        #expect(inside.map(\.subject) == ["location", "gpsd"])
        #expect(inside.last?.remedy?.contains("IPAddressAllow") == false)
    }

    @Test("the setting for a gpsd outside private networks is reported before the gpsd is missed")
    func outsideGpsd() throws {
        let finding = try fault { view in
            view.gpsdPlace = .elsewhere(outside: "192.0.2.54")
            view.gpsd = .unreachable(.other("Connection timed out"))
        }
        #expect(finding.remedy?.contains("IPAddressAllow=192.0.2.54") == true)
        // A unit's address list applies only to that unit's broker.
        let own = diagnosis { view in
            view.isService = false
            view.gpsdPlace = .elsewhere(outside: "192.0.2.54")
            view.gpsd = .unreachable(.other("Connection timed out"))
        }.findings
        #expect(own.allSatisfy { $0.remedy?.contains("IPAddressAllow") != true })
    }

    @Test("an iiod is examined like gpsd")
    func iiod() throws {
        func change(_ view: inout HostView) {
            view.configuration?.context = "ip:box"
            view.iiodPlace = .elsewhere(outside: nil)
            view.iiod = .answers
        }
        let diagnosis = diagnosis(change)
        #expect(diagnosis.isWell)
        #expect(diagnosis.findings.last?.subject == "iiod" && diagnosis.findings.last?.words.contains("ip:box") == true)
        let silent = try fault { view in
            change(&view)
            view.iiod = .unreachable(.other("Connection timed out"))
        }
        #expect(silent.subject == "iiod" && silent.remedy?.contains("firewall") == true)
        let refused = try fault { view in
            change(&view)
            view.iiodPlace = .here
            view.iiod = .unreachable(.refused)
        }
        #expect(refused.remedy?.contains("start iiod") == true)
        let stranger = try fault { view in
            change(&view)
            view.iiod = .stranger
        }
        #expect(stranger.words.contains("is not iiod") && stranger.remedy?.contains("Context=") == true)
        let filtered = self.diagnosis { view in
            change(&view)
            view.iiodPlace = .elsewhere(outside: "192.0.2.54")
            view.resources[1].state = "unavailable"
            view.resources[1].reason = "no iiod answers at ip:box: check that the host is up"
        }.findings.filter { $0.verdict == .bad }
        #expect(filtered.map(\.subject) == ["accelerometer", "iiod"])
        #expect(filtered.last?.remedy?.contains("IPAddressAllow=192.0.2.54") == true)
    }

    @Test("a service that another broker uses is not reported as blocked")
    func takenElsewhere() {
        let bad = diagnosis { view in
            view.gpsdPlace = .elsewhere(outside: "192.0.2.54")
            view.resources[0].state = "unavailable"
            view.resources[0].reason = "pid 7 holds it: another broker uses gpsd at 192.0.2.54:2947"
        }.findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location"])
    }

    @Test("a gpsd without a receiver, and a peer that is not a gpsd, are faults")
    func uselessGpsd() throws {
        #expect(try fault { $0.gpsd = .receivers(0) }.remedy?.contains("DEVICES=") == true)
        #expect(try fault { $0.gpsd = .stranger }.words.contains("is not gpsd"))
    }

    @Test("permissions that the udev rule has not set are reported with a remedy")
    func permissions() throws {
        for change: (inout HostView) -> Void in [
            { $0.sensors[0].nodeIsOpen = false }, { $0.sensors[0].attributesAreOpen = false },
        ] {
            #expect(try fault(change).remedy?.contains("udevadm trigger") == true)
        }
        #expect(
            diagnosis { view in
                view.sensors[0].hasNode = false
                view.sensors[0].nodeIsOpen = false
            }.isWell)
    }

    @Test("another program that has a sensor open is named")
    func otherUser() throws {
        let finding = try fault { $0.sensors[0].users = ["iiod (process 12)"] }
        #expect(finding.words.contains("iiod (process 12)"))
        #expect(finding.remedy?.contains("release") == true)
    }

    @Test("a host without an accelerometer is not a fault, and one that uses another host's is not examined")
    func noAccelerometer() {
        for change: (inout HostView) -> Void in [{ $0.hasBus = false }, { $0.sensors = [] }] {
            let diagnosis = diagnosis(change)
            #expect(diagnosis.isWell)
            #expect(diagnosis.findings.last?.verdict == .note)
        }
        let elsewhere = diagnosis { view in
            view.configuration?.context = "ip:box"
            view.sensors[0].nodeIsOpen = false
        }
        #expect(elsewhere.isWell)
    }

    @Test("names from outside cannot control a terminal")
    func printable() {
        let findings = diagnosis { view in
            view.sensors[0].name = "a\u{1B}[2J"
            view.sensors[0].users = ["b\u{07}"]
            view.resources[0].reason = "c\r"
            view.resources[0].state = "unavailable"
        }.findings
        let text = findings.map { "\($0.subject) \($0.words) \($0.remedy ?? "")" }.joined()
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
}
