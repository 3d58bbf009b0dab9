import BrokerClient
import Testing
import Varlink

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
        resource(named: "location", state: "active"), resource(named: "accelerometer", state: "idle"),
    ]
    view.gpsd = ServiceView(address: "localhost:2947", answer: .answers(receivers: 1))
    view.sensors = [SensorView(id: "iio:device0", name: "accel_3d")]
    return view
}

/// A resource, as the broker reports it.
func resource(
    named name: String, state: String, reason: String? = nil, description: String? = nil, isSimulated: Bool = false
) -> Resource {
    var object: JSONObject = [
        "name": .string(name), "kind": "acceleration", "state": .string(state), "simulated": .bool(isSimulated),
        "minimumIntervalNanoseconds": 0, "maximumIntervalNanoseconds": 0, "defaultIntervalNanoseconds": 0,
    ]
    object.member("reason", reason)
    object.member("description", description)
    guard let resource = try? Resource(Parameters(object)) else { preconditionFailure("it has all members") }
    return resource
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
