import Testing

@testable import sensorctl

@Suite("The doctor's diagnosis")
struct DiagnosisTests {
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

    @Test("notes a magnetometer that is not calibrated, as far as the user may know, and says how it is")
    func uncalibrated() throws {
        func findings(_ calibrated: Set<String>?, isSimulated: Bool = false, state: String = "idle") -> [Finding] {
            diagnosis { view in
                view.resources += ["magnetometer", "magnetometer:1"].map {
                    resource(named: $0, state: state, isSimulated: isSimulated)
                }
                view.calibrated = calibrated
            }.findings.filter { $0.words.contains("calibrated") }
        }
        let found = findings(["magnetometer"])
        #expect(found.map(\.subject) == ["magnetometer:1"] && found.allSatisfy { $0.verdict == .note })
        #expect(found.first?.remedy == "sudo sensorctl calibrate magnetometer magnetometer:1")
        #expect(findings([]).first?.remedy == "sudo sensorctl calibrate magnetometer")
        #expect(findings(nil).isEmpty && findings([], isSimulated: true).isEmpty)
        #expect(findings([], state: "unavailable").isEmpty)
    }

    @Test("distinguishes a service that waits for its first client from a failed one")
    func waiting() {
        let waiting = diagnosis { $0.service?.active = "inactive" }
        #expect(waiting.isWell)
    }

    @Test(
        "says why a service failed, and gives a remedy",
        arguments: [
            ("exit-code", 78, "journalctl"), ("exit-code", 69, "stop that program"), ("exit-code", 77, "sysusers"),
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

    @Test("a service that systemd starts again and again has failed; one that starts or stops has not")
    func failingService() throws {
        for active in ["activating", "deactivating"] {
            let finding = try fault { view in
                view.service?.active = active
                view.service?.result = "exit-code"
                view.service?.exitStatus = 73
            }
            #expect(finding.subject == "service" && finding.words == "failed: exit-code")
            let planned = diagnosis { view in view.service?.active = active }
            #expect(planned.isWell)
        }
    }

    @Test(
        "notices a unit that is not installed, masked, or has an error",
        arguments: [
            ("not-found", "install the package"), ("masked", "systemctl unmask sensorbrokerd"),
            ("bad-setting", "systemd-analyze verify sensorbrokerd."),
        ])
    func absentUnit(load: String, remedy: String) throws {
        let service = try fault { $0.service?.load = load }
        #expect(service.subject == "service" && service.remedy?.contains(remedy) == true)
        // Such a socket can be neither enabled nor started.
        let listener = try fault { view in
            view.listeners["sensorbrokerd.socket"]?.load = load
            view.listeners["sensorbrokerd.socket"]?.active = "inactive"
        }
        #expect(listener.subject == "sensorbrokerd.socket" && listener.remedy?.contains(remedy) == true)
    }

    @Test("errors of a configuration that this user cannot see are in the log")
    func errorsOfOthers() throws {
        func remedy(_ error: String?) throws -> String? {
            let findings = diagnosis { view in
                view.service = UnitView(active: "failed", result: "exit-code", exitStatus: 78)
                view.configuration?.error = error
            }.findings
            return try #require(findings.first { $0.subject == "service" }).remedy
        }
        #expect(try remedy("/etc/x.conf:3: no such key")?.contains("--check-config names them") == true)
        // It is the service's user who may not read a file.
        #expect(try remedy(nil)?.contains("journalctl -u sensorbrokerd names them") == true)
    }

    @Test("a configuration that a user may not read is no fault; root has to look")
    func closedConfiguration() {
        let words = "/etc/sensorbroker/a.conf: cannot be read (Permission denied): make it a plain file"
        func finding(isRoot: Bool) -> Finding? {
            diagnosis { view in
                view.configuration?.error = words
                view.user.isRoot = isRoot
            }.findings.first { $0.subject == "configuration" }
        }
        #expect(finding(isRoot: false)?.verdict == .note && finding(isRoot: false)?.remedy == nil)
        #expect(finding(isRoot: true)?.verdict == .bad)
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

    @Test("a service's socket that has no group is of a broker from before there was the group")
    func socketWithoutGroup() {
        func remedy(_ owner: SocketOwner) -> String { owner.remedy(for: "alice", path: "/s", restart: "restart it") }
        let cause = "it was started before there was the group sensorbroker"
        #expect(remedy(SocketOwner(user: "root")) == "restart it: \(cause)")
        #expect(remedy(SocketOwner(user: "root", group: "sensorbroker")).contains("usermod -aG sensorbroker alice"))
        #expect(remedy(SocketOwner()).contains("its directory is closed"))
    }

    @Test("a broker that was started by hand before there was the group is to be started again")
    func groupThatCameLater() throws {
        func remedy(_ change: (inout HostView) -> Void) throws -> String? {
            try fault { view in
                (view.manager, view.service, view.listeners) = (.absent, nil, [:])
                view.resources = []
                view.gpsd = nil
                view.socket.owner = SocketOwner(user: "root")
                change(&view)
            }.remedy
        }
        #expect(try remedy { $0.socket.answer = .denied }?.contains("restart the broker") == true)
        let created = try remedy { view in
            view.user.groupExists = false
            view.user.isMember = false
            view.user.isListed = false
        }
        #expect(created?.contains("groupadd --system sensorbroker") == true)
        #expect(created?.contains("restart the broker") == true)
    }

    @Test("without systemd, no remedy is a command of it")
    func remediesWithoutSystemd() {
        let changes: [(inout HostView) -> Void] = [
            { $0.socket.answer = .missing }, { $0.socket.answer = .refused }, { $0.socket.answer = .mute },
            { $0.socket.answer = .failed("x") }, { $0.configuration?.error = "x" }, { $0.user.groupExists = false },
            { $0.gpsd?.answer = .answers(receivers: 0) }, { $0.gpsd?.answer = .unreachable(.refused) },
            { view in
                view.gpsd?.place = .elsewhere(outside: "192.0.2.5")
                view.resources = [resource(named: "location", state: "unavailable", reason: "no gpsd at 192.0.2.5")]
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
        let served = diagnosis { $0.gpsd?.answer = .unreachable(.refused) }
        #expect(served.isWell && !served.findings.contains { $0.subject == "gpsd" })
        func verdict(_ state: String, _ reason: String? = nil) -> Finding.Verdict? {
            diagnosis { view in
                view.gpsd?.answer = .unreachable(.refused)
                view.resources[0] = resource(named: "location", state: state, reason: reason)
            }.findings.first { $0.subject == "gpsd" }?.verdict
        }
        #expect(verdict("unavailable", "no gpsd at localhost:2947") == .bad)
        // Nobody uses it, so whether there is a position is not known.
        #expect(verdict("idle") == .note)
        let unknown = diagnosis { view in
            view.gpsd = ServiceView(address: "x:2947", place: .unknown, answer: .unreachable(.other("x")))
            view.resources[0] = resource(named: "location", state: "unavailable", reason: "no gpsd at x:2947")
        }
        let remedy = unknown.findings.first { $0.subject == "gpsd" }?.remedy
        #expect(remedy?.hasPrefix("check that Gpsd= in ") == true && remedy?.hasSuffix(" has the right name") == true)
    }

    @Test("a gpsd that is masked cannot be enabled before it is unmasked")
    func maskedGpsd() throws {
        func remedy(isMasked: Bool) throws -> String {
            let finding = try fault { view in
                view.gpsd?.answer = .unreachable(.refused)
                view.gpsdIsMasked = isMasked
                view.resources = []
            }
            return try #require(finding.remedy)
        }
        #expect(try remedy(isMasked: true).contains("systemctl unmask gpsd.socket gpsd.service"))
        #expect(try remedy(isMasked: true).contains("systemctl enable --now gpsd.socket"))
        #expect(try !remedy(isMasked: false).contains("unmask"))
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
}
