import Testing

@testable import sensorctl

@Suite("The doctor's diagnosis of devices")
struct DeviceDiagnosisTests {
    @Test("an unavailable resource is reported with its reason; a released one is a note")
    func resources() throws {
        let finding = try fault { view in
            view.resources[1] = resource(
                named: "accelerometer", state: "unavailable", reason: "it was unplugged: connect it again")
        }
        #expect(finding.subject == "accelerometer" && finding.words.contains("connect it again"))

        let released = diagnosis { $0.resources[1] = resource(named: "accelerometer", state: "released") }
        #expect(released.isWell)
        #expect(released.findings.contains { $0.remedy == "sudo sensorctl reacquire accelerometer" })
    }

    @Test("nothing is wrong if all accelerometers are in the base; else what is derived is said with its source")
    func derived() {
        let source = resource(named: "accelerometer", state: "idle")
        let laptop = diagnosis { view in
            view.resources = [source, resource(named: "orientation", state: "unavailable", reason: "in the base")]
        }
        #expect(laptop.isWell && laptop.findings.contains { $0.verdict == .note && $0.words.contains("in the base") })
        #expect(MonitoringCheck(laptop).line.contains("unavailable=0"))
        let unplugged = diagnosis { view in
            view.resources = [
                resource(named: "accelerometer", state: "unavailable"),
                resource(named: "orientation", state: "unavailable"),
            ]
        }
        #expect(!unplugged.isWell)
        let tablet = diagnosis { view in
            view.resources = [
                source, resource(named: "orientation", state: "idle", description: "from accelerometer"),
            ]
        }
        #expect(tablet.findings.contains { $0.words == "is idle, from accelerometer" })
    }

    @Test("a missing gpsd is a fault if the location is unavailable, else a note")
    func absentGpsd() throws {
        let bad = diagnosis { view in
            view.gpsd?.answer = .unreachable(.refused)
            view.resources[0] = resource(named: "location", state: "unavailable")
        }.findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location", "gpsd"])
        #expect(bad[1].words.contains("localhost:2947") && bad[1].remedy?.contains("gpsd.socket") == true)
        let unmissed = diagnosis { $0.gpsd?.answer = .unreachable(.refused) }
        #expect(unmissed.isWell)
    }

    @Test("a gpsd on another host that does not answer is a fault, with a remedy")
    func silentRemoteGpsd() throws {
        for (silence, remedy) in [(Silence.other("Connection timed out"), "firewall"), (.refused, "-G")] {
            let finding = try fault { view in
                view.gpsd?.address = "10.0.0.7:2947"
                view.gpsd?.place = .elsewhere(outside: nil)
                view.gpsd?.answer = .unreachable(silence)
            }
            #expect(finding.subject == "gpsd" && finding.words.contains("10.0.0.7:2947"))
            #expect(finding.remedy?.contains(remedy) == true)
            #expect(finding.remedy?.contains("enable --now") == false)
        }
    }

    @Test("a gpsd that accepts connections and sends nothing is to be restarted, where it runs")
    func muteGpsd() throws {
        for (place, remedy) in [(PlaceView.here, "sudo systemctl restart gpsd"), (.elsewhere(outside: nil), "there")] {
            let findings = diagnosis { view in
                view.gpsd?.place = place
                view.gpsd?.answer = .unreachable(.mute)
                view.resources[0] = resource(named: "location", state: "unavailable")
            }.findings
            let finding = try #require(findings.last { $0.verdict == .bad })
            #expect(finding.subject == "gpsd" && finding.words.contains("sends nothing"))
            #expect(finding.remedy?.hasPrefix("restart gpsd") == true && finding.remedy?.hasSuffix(remedy) == true)
        }
    }

    @Test("a gpsd that answers us but not the broker is blocked by the unit's list of addresses, if that lacks it")
    func filteredGpsd() throws {
        func change(_ view: inout HostView) {
            view.gpsd?.address = "gps.example:2947"
            view.gpsd?.place = .elsewhere(outside: "192.0.2.54")
            view.resources[0] = resource(
                named: "location", state: "unavailable", reason: "no gpsd at gps.example:2947 (Connection timed out)")
        }
        let bad = diagnosis(change).findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location", "gpsd"])
        #expect(bad.last?.words.contains("the broker") == true)
        for remedy in ["systemctl edit sensorbrokerd", "IPAddressAllow=192.0.2.54", "systemctl restart sensorbrokerd"] {
            #expect(bad.last?.remedy?.contains(remedy) == true)
        }
        let inside = diagnosis { view in
            change(&view)
            view.gpsd?.place = .elsewhere(outside: nil)
        }.findings.filter { $0.verdict == .bad }
        #expect(inside.map(\.subject) == ["location", "gpsd"])
        #expect(inside.last?.remedy?.contains("IPAddressAllow") == false)
    }

    @Test("the setting for a gpsd outside private networks is reported before the gpsd is missed")
    func outsideGpsd() throws {
        let finding = try fault { view in
            view.gpsd?.place = .elsewhere(outside: "192.0.2.54")
            view.gpsd?.answer = .unreachable(.other("Connection timed out"))
        }
        #expect(finding.remedy?.contains("IPAddressAllow=192.0.2.54") == true)
        // A unit's address list applies only to that unit's broker.
        let own = diagnosis { view in
            view.isService = false
            view.gpsd?.place = .elsewhere(outside: "192.0.2.54")
            view.gpsd?.answer = .unreachable(.other("Connection timed out"))
        }.findings
        #expect(own.allSatisfy { $0.remedy?.contains("IPAddressAllow") != true })
    }

    @Test("an iiod is examined like gpsd")
    func iiod() throws {
        func change(_ view: inout HostView) {
            view.configuration?.context = "ip:box"
            view.iiod = ServiceView(address: "ip:box", place: .elsewhere(outside: nil), answer: .answers())
        }
        let near = diagnosis(change)
        #expect(near.isWell)
        #expect(near.findings.last?.subject == "iiod" && near.findings.last?.words.contains("ip:box") == true)
        let silent = try fault { view in
            change(&view)
            view.iiod?.answer = .unreachable(.other("Connection timed out"))
        }
        #expect(silent.subject == "iiod" && silent.remedy?.contains("firewall") == true)
        let refused = try fault { view in
            change(&view)
            view.iiod?.place = .here
            view.iiod?.answer = .unreachable(.refused)
        }
        #expect(refused.remedy?.contains("start iiod") == true)
        let stranger = try fault { view in
            change(&view)
            view.iiod?.answer = .stranger
        }
        #expect(stranger.words.contains("is not iiod") && stranger.remedy?.contains("Context=") == true)
        let filtered = diagnosis { view in
            change(&view)
            view.iiod?.place = .elsewhere(outside: "192.0.2.54")
            view.resources[1] = resource(
                named: "accelerometer", state: "unavailable",
                reason: "no iiod answers at ip:box: check that the host is up")
        }.findings.filter { $0.verdict == .bad }
        #expect(filtered.map(\.subject) == ["accelerometer", "iiod"])
        #expect(filtered.last?.remedy?.contains("IPAddressAllow=192.0.2.54") == true)
    }

    @Test("a service that another broker uses is not reported as blocked")
    func takenElsewhere() {
        let bad = diagnosis { view in
            view.gpsd?.place = .elsewhere(outside: "192.0.2.54")
            view.resources[0] = resource(
                named: "location", state: "unavailable",
                reason: "pid 7 holds it: another broker uses gpsd at 192.0.2.54:2947")
        }.findings.filter { $0.verdict == .bad }
        #expect(bad.map(\.subject) == ["location"])
    }

    @Test("a gpsd without a receiver, and a peer that is not a gpsd, are faults")
    func uselessGpsd() throws {
        let (idle, other) = try (
            fault { $0.gpsd?.answer = .answers(receivers: 0) }, fault { $0.gpsd?.answer = .stranger }
        )
        #expect(idle.remedy?.contains("DEVICES=") == true && other.words.contains("is not gpsd"))
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
            let without = diagnosis(change)
            #expect(without.isWell)
            #expect(without.findings.last?.verdict == .note)
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
            view.resources[0] = resource(named: "location", state: "unavailable", reason: "c\r")
        }.findings
        let text = findings.map { "\($0.subject) \($0.words) \($0.remedy ?? "")" }.joined()
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
}
