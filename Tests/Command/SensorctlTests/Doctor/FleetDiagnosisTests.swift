import Testing

@testable import sensorctl

@Suite("The doctor's look at a fleet's bridge") struct FleetDiagnosisTests {
    private func findings(
        _ status: String = "Connected; 0 messages left", _ change: (inout FleetView) -> Void = { _ in }
    )
        -> [Finding]
    {
        var view = HostView(socket: SocketView(path: "/run/sensorbroker/io.sensorbroker.Broker", answer: .answers))
        var fleet = FleetView(unit: UnitView(status: status))
        change(&fleet)
        view.fleet = fleet
        return Diagnosis(view: view).fleet
    }

    @Test("says nothing on a host without one")
    func nothing() {
        let view = HostView(socket: SocketView(path: "/run/x", answer: .answers))
        #expect(Diagnosis(view: view).fleet.isEmpty)
    }

    @Test("says what the bridge says, and what is no fault is none")
    func states() {
        #expect(findings().map(\.verdict) == [.ok] && findings()[0].words.contains("0 messages left"))
        let held = findings("Connected; the server does not take location; 9 messages left")
        #expect(held.map(\.verdict) == [.bad] && held[0].remedy?.contains("allow") == true)
        let away = findings("Not connected (the server cannot be reached: Connection refused); 9 messages in the spool")
        #expect(away.map(\.verdict) == [.note] && away[0].words.contains("Connection refused"))
        let failed = findings("") { ($0.unit.active, $0.unit.result) = ("failed", "exit-code") }
        #expect(failed.map(\.verdict) == [.bad] && failed[0].remedy?.contains("restart") == true)
        let idle = findings("") { $0.unit.active = "inactive" }
        #expect(idle.map(\.verdict) == [.note] && idle[0].remedy?.contains("enable --now") == true)
        let bare = findings("") {
            $0.unit.active = "inactive"
            $0.configuration = FleetConfigurationView(78, "sensorbroker-mqtt.conf: there is no server\nmore\n")
        }
        #expect(
            bare[0].words.contains("there is no server") && bare[0].remedy?.contains("sensorbroker-mqtt.conf") == true)
    }

    @Test("a spool that is nearly full is worth a note while there is no connection")
    func spool() throws {
        let printed = "# a\n[Server]\nUrl=mqtts://b:8883\nCertificate=client.crt\n#Authority=\n[Spool]\nMaxBytes=64M\n"
        let configuration = try #require(FleetConfigurationView(0, printed))
        #expect(configuration.certificate == "client.crt" && configuration.spoolBytes == 64 << 20)
        func verdicts(_ status: String, _ bytes: Int) -> [Finding.Verdict] {
            findings(status) { ($0.configuration, $0.spoolBytes) = (configuration, bytes) }.map(\.verdict)
        }
        #expect(verdicts("Connected; 0 messages left", 63 << 20) == [.ok, .ok])
        #expect(verdicts("Not connected (x); 9 messages in the spool", 63 << 20) == [.note, .note])
        #expect(verdicts("Not connected (x); 9 messages in the spool", 1 << 20) == [.note, .ok])
        #expect(FleetConfigurationView(0, "MaxBytes=99999999999999T\n")?.spoolBytes == nil)
        #expect(FleetConfigurationView(127, "") == nil)
    }

    @Test("a certificate is told before it ends", arguments: [(0, "ok"), (1, "note"), (2, "bad")] as [(Int32, String)])
    func certificate(status: Int32, verdict: String) {
        let found = findings {
            $0.certificate = CertificateView((status, "notAfter=Nov 25 14:00:00 2026 GMT\n"))
        }
        #expect(found.last?.verdict.rawValue == verdict && found.last?.words.contains("Nov 25") == true)
        #expect((found.last?.remedy == nil) == (status == 0))
    }

    @Test("a certificate that cannot be read is not judged")
    func unreadable() {
        #expect(CertificateView((9, "")) == nil && CertificateView(nil) == nil)
        #expect(CertificateView((9, "notAfter=x\n")) == nil && CertificateView((0, "error\n")) == nil)
    }
}
