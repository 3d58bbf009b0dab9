import Testing

@testable import sensorctl

/// A host on which everything is as it should be.
var healthyHost: HostView {
    var view = HostView(socket: SocketView(path: "/run/sensorbroker/io.sensorbroker.Broker", answer: .answers))
    view.service = UnitView(status: "2 devices active, 1 client, 1 lane")
    view.listeners = [
        "sensorbrokerd.socket": UnitView(), "sensorbrokerd-admin.socket": UnitView(),
        "sensorbrokerd-feed.socket": UnitView(),
    ]
    view.user = UserView(name: "alice")
    view.configuration = ConfigurationView()
    view.resources = [
        ResourceView(name: "location", state: "active"), ResourceView(name: "accelerometer", state: "idle"),
    ]
    view.gpsd = ServiceView(address: "localhost:2947", answer: .answers(receivers: 1))
    view.sensors = [SensorView(id: "iio:device0", name: "accel_3d")]
    return view
}

/// What the doctor finds on a host that differs from a healthy one.
func diagnosis(_ change: (inout HostView) -> Void) -> Diagnosis {
    var view = healthyHost
    change(&view)
    return Diagnosis(view: view)
}

/// The only finding that is bad.
func fault(_ change: (inout HostView) -> Void) throws -> Finding {
    let bad = diagnosis(change).findings.filter { $0.verdict == .bad }
    #expect(bad.count == 1, "\(bad)")
    return try #require(bad.first)
}
