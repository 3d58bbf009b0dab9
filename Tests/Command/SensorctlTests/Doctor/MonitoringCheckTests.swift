import Programs
import Testing

@testable import sensorctl

@Suite("The doctor's line for a monitoring system") struct MonitoringCheckTests {
    private func check(_ states: [(String, String)], _ change: (inout HostView) -> Void = { _ in }) -> MonitoringCheck {
        var view = HostView(socket: SocketView(path: "/tmp/b", answer: .answers))
        view.isService = false
        view.resources = states.map { resource(named: $0, state: $1, reason: $1 == "unavailable" ? "a|b" : nil) }
        view.gpsd = ServiceView(address: "localhost:2947", answer: .answers(receivers: 1))
        view.sensors = [SensorView(id: "iio:device0", name: "accel_3d")]
        change(&view)
        return MonitoringCheck(Diagnosis(view: view))
    }

    @Test("all is well")
    func well() {
        let check = check([("location", "active"), ("light", "idle")])
        #expect(check.status == .ok)
        #expect(
            check.line == "SENSORBROKER OK - 2 resources | resources=2;;;0 active=1;;;0 unavailable=0;;0;0 "
                + "stale=0;0;;0 released=0;0;;0")
    }

    @Test("the worst comes first, and no bar from outside divides the line")
    func worst() {
        let check = check([("light", "stale"), ("location", "unavailable")])
        #expect(check.status == .critical)
        #expect(check.line.hasPrefix("SENSORBROKER CRITICAL - location is unavailable: a/b; light is silent | "))
        #expect(self.check([("light", "stale")]).status == .warning)
        #expect(self.check([("light", "released")]).status == .warning)
    }

    @Test("without the right to ask, nobody knows; without a broker, it is critical")
    func unknown() {
        #expect(check([]) { $0.socket.answer = .denied }.status == .unknown)
        #expect(check([]) { $0.socket.answer = .missing }.status == .critical)
        #expect(check([]) { $0.socket.answer = .mute }.status == .critical)
    }
}
