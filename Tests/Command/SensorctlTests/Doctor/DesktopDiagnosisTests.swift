import Testing

@testable import sensorctl

@Suite("The doctor's look at the desktop") struct DesktopDiagnosisTests {
    private func findings(_ change: (inout DesktopView) -> Void) -> [Finding] {
        var view = HostView(socket: SocketView(path: "/run/sensorbroker/io.sensorbroker.Broker", answer: .answers))
        change(&view.desktop)
        let diagnosis = Diagnosis(view: view)
        return [diagnosis.rival, diagnosis.geoclue].compactMap(\.self)
    }

    @Test("says nothing on a host without a desktop")
    func nothing() { #expect(findings { $0.hasSocket = true }.isEmpty) }

    @Test("prints the lines that geoclue's configuration needs, until it has them")
    func geoclue() throws {
        let missing = findings { ($0.hasSocket, $0.geoclue) = (true, GeoclueView(["[network-nmea]\nenable=false\n"])) }
        #expect(missing.first?.verdict == .note)
        #expect(
            missing.first?.remedy?.contains("enable=true and nmea-socket=/run/sensorbroker/nmea.sock") == true)
        let text = """
            # nmea-socket=/var/run/x
            [agent]
            enable=false
            [network-nmea]
             enable = true
            nmea-socket= /run/sensorbroker/nmea.sock\t
            [wifi]
            enable=false
            """
        #expect(findings { ($0.hasSocket, $0.geoclue) = (true, GeoclueView([text])) }.map(\.verdict) == [.ok])
    }

    @Test("reads what changes geoclue's configuration after it, in a file of its own")
    func dropIns() {
        let shipped = "[network-nmea]\nenable=false\nnmea-socket=/run/other.sock\n[wifi]"
        let own = "enable=true\n[network-nmea]\nenable=1\nnmea-socket=/run/sensorbroker/nmea.sock"
        for (texts, verdict) in [([shipped, own], Finding.Verdict.ok), ([own, shipped], .note)] {
            #expect(findings { ($0.hasSocket, $0.geoclue) = (true, GeoclueView(texts)) }.map(\.verdict) == [verdict])
        }
    }

    @Test("says that nothing listens where geoclue is to read")
    func silent() {
        let text = "[network-nmea]\nenable=true\nnmea-socket=/run/sensorbroker/nmea.sock"
        let found = findings { $0.geoclue = GeoclueView([text]) }
        #expect(found.map(\.verdict) == [.bad])
        #expect(found.first?.remedy?.contains("sensorbroker-nmea.socket") == true)
    }

    @Test("names a rival for the sensors")
    func rival() {
        let found = findings { $0.hasProxy = true }
        #expect(found.map(\.subject) == ["iio-sensor-proxy"])
        // Which is in no archive that apt would know.
        #expect(found[0].remedy == "install the package sensorbroker-desktop, which takes its place")
    }
}
