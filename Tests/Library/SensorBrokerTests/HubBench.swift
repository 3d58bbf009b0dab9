import BrokerClient
import Varlink

@testable import SensorBroker

/// A hub on virtual time, whose broker is the test.
struct HubBench {
    var hub = Hub(graceNanoseconds: 5_000_000_000, seed: 1)
    private(set) var now = BootTime(nanoseconds: 1_000_000_000_000)
    /// Open connections, and the calls that they carry.
    private(set) var open: [ConnectionID: Call] = [:]
    /// What was asked, in order.
    private(set) var calls: [Call] = []
    /// What each listener was sent.
    private(set) var sent: [ListenerID: [ListenerMessage]] = [:]
    private(set) var ended: [ListenerID: SensorError] = [:]
    private(set) var answers: [ReaderID: Result<Measured, SensorError>] = [:]
    private(set) var lists: [ListerID: Result<[SensorBroker.Resource], SensorError>] = [:]
    private(set) var announced: [LifecycleEvent] = []

    /// Does something to the hub, and what it wants done.
    mutating func act<Value>(_ body: (inout Hub, BootTime) -> Value) -> Value {
        let value = body(&hub, now)
        work()
        return value
    }

    mutating func advance(_ nanoseconds: Int64) {
        now = now + nanoseconds
        act { hub, now in hub.expire(now: now, readUntil: now) }
    }

    /// Time passes in which the program gets no processor, so that it has not read what may have come meanwhile.
    mutating func standStill(_ nanoseconds: Int64) {
        let readUntil = now
        now = now + nanoseconds
        act { hub, now in hub.expire(now: now, readUntil: readUntil) }
    }

    mutating func listen(_ request: SensorRequest) -> ListenerID {
        act { hub, now in
            let id: ListenerID = hub.makeID()
            hub.listen(id, to: request, now: now)
            return id
        }
    }

    mutating func leave(_ listener: ListenerID) { act { hub, now in hub.leave(listener, now: now) } }

    mutating func read(
        _ resource: ResourceName, maximumAge: Int64 = 0, timeout: Int64 = 10_000_000_000, accuracy: Double? = nil
    ) -> ReaderID {
        act { hub, now in
            let id: ReaderID = hub.makeID()
            hub.read(
                id, resource, maximumAge: maximumAge, timeout: timeout, accuracyMeters: accuracy, now: now)
            return id
        }
    }

    mutating func list() -> ListerID {
        act { hub, now in
            let id: ListerID = hub.makeID()
            hub.list(id, now: now)
            return id
        }
    }

    /// The open connections of a method, oldest first.
    func connections(_ method: String) -> [ConnectionID] {
        open.filter { $0.value.method == method }.map(\.key).sorted()
    }

    mutating func reply(_ connection: ConnectionID, _ parameters: JSONObject, continues: Bool = false) {
        act { hub, now in
            hub.replied(connection, .success(Parameters(parameters), continues: continues), now: now)
        }
    }

    mutating func refuse(_ connection: ConnectionID, _ name: String, _ parameters: JSONObject = [:]) {
        let error = VarlinkError.other(name: Interface.error(name), parameters: parameters)
        act { hub, now in hub.replied(connection, .failure(error), now: now) }
    }

    mutating func lose(_ connection: ConnectionID, _ error: SensorError = .disconnected) {
        open[connection] = nil
        act { hub, now in hub.lost(connection, error, now: now) }
    }

    /// The newest stream begins, with grants as they were asked for.
    mutating func begin(_ connection: ConnectionID, state: String = "active") {
        guard let requests = try? open[connection]?.parameters.objects("requests") else { return }
        let names = requests.compactMap { try? $0.string("resource") }
        reply(
            connection,
            [
                "subscription": .string("s\(connection)"), "revision": 1,
                "grants": .array(
                    zip(names, requests).map { name, request in Self.grant(name, for: request) }),
                "resources": .array(names.map { Self.resource($0, state: state) }),
            ], continues: true)
    }

    /// The times of the readings that a listener was sent, in their order.
    func times(_ listener: ListenerID) -> [BootTime] {
        (sent[listener] ?? []).flatMap { message -> [BootTime] in
            guard case .measured(let measured) = message else { return [] }
            return measured.map(\.timestamp)
        }
    }

    /// The gaps that a listener was sent.
    func gaps(_ listener: ListenerID) -> [SensorBroker.Gap] {
        (sent[listener] ?? []).compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    }

    /// The broker carries out the pending change of a stream, and announces that.
    mutating func carryOut(of connection: ConnectionID) {
        for change in connections("Modify") {
            let requests = (try? open[change]?.parameters.optionalObjects("requests")) ?? []
            let grants = JSONValue.array(
                requests.map { request in Self.grant((try? request.string("resource")) ?? "", for: request) })
            reply(change, ["revision": 2, "grants": grants])
            reply(connection, ["revision": 2, "grants": grants], continues: true)
        }
    }

    /// The labels of the requests of an open call.
    func labels(_ connection: ConnectionID) -> [String?] {
        ((try? open[connection]?.parameters.optionalObjects("requests")) ?? []).map { Self.label($0) }
    }

    private static func label(_ request: Parameters) -> String? { (try? request.optionalString("label")) ?? nil }

    private static func grant(_ resource: String, for request: Parameters) -> JSONValue {
        let interval = (try? request.optionalInteger("intervalNanoseconds")) ?? nil
        let batch = (try? request.optionalInteger("batchNanoseconds")) ?? nil
        var grant: JSONObject = [
            "resource": .string(resource), "intervalNanoseconds": .integer(interval ?? 1_000_000_000),
            "batchNanoseconds": .integer(batch ?? 0),
        ]
        if let label = label(request) { _ = grant.append("label", .string(label)) }
        return .object(grant)
    }

    mutating func deliver(
        _ connection: ConnectionID, x: Double, resource: String = "accelerometer", label: String? = nil
    ) {
        let stamp = now.nanoseconds
        reply(connection, ["readings": [Self.acceleration(resource, stamp, x, label: label)]], continues: true)
    }

    static func acceleration(_ resource: String, _ stamp: Int64, _ x: Double, label: String? = nil) -> JSONValue {
        var reading: JSONObject = [
            "resource": .string(resource), "sequence": 1, "timestampNanoseconds": .integer(stamp),
            "values": ["columns": ["x": [.number(x)], "y": [0.0], "z": [9.81]]],
        ]
        if let label { _ = reading.append("label", .string(label)) }
        return .object(reading)
    }

    static func location(_ stamp: Int64, error: Double) -> JSONValue {
        [
            "resource": "location", "sequence": 1, "timestampNanoseconds": .integer(stamp), "futureField": true,
            "location": [
                "fix": "rtk", "latitudeDegrees": 52.5, "longitudeDegrees": 13.4,
                "horizontalErrorMeters": .number(error),
                "undulationMeters": 39.6,
            ],
        ]
    }

    static func resource(
        _ name: String, state: String = "active", device: String = "chip", simulated: Bool = false
    ) -> JSONValue {
        [
            "name": .string(name), "kind": name == "location" ? "location" : "acceleration", "state": .string(state),
            "simulated": .bool(simulated), "minimumIntervalNanoseconds": 1_000_000,
            "maximumIntervalNanoseconds": 1_000_000_000, "defaultIntervalNanoseconds": 100_000_000,
            "description": .string(device), "aFieldOfTheFuture": [1, 2],
        ]
    }

    private mutating func work() {
        for action in hub.takeActions() {
            switch action {
            case .open(let id, let call):
                open[id] = call
                calls.append(call)
            case .close(let id): open[id] = nil
            case .send(let listeners, let what): for listener in listeners { sent[listener, default: []].append(what) }
            case .end(let listener, let error): ended[listener] = error
            case .answer(let id, let result): answers[id] = result
            case .list(let id, let result): lists[id] = result
            case .announce(let event): announced.append(event)
            }
        }
    }
}

extension SensorRequest {
    static func every(_ milliseconds: Int, of resource: ResourceName = .accelerometer) -> Self {
        var request = SensorRequest(resource)
        request.interval = .milliseconds(milliseconds)
        return request
    }
}
