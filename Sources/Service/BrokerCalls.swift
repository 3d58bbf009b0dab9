internal import Admission
internal import Delivery
internal import Platform
public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Broker`: parameters in, replies out; what they do is the broker's.
public final class BrokerCalls: CallHandler {
    private let broker: Broker
    /// What this socket serves.
    public let information = ServiceInformation.sensorbrokerd([.broker])

    /// Answers with what a broker has.
    public init(_ broker: Broker) { self.broker = broker }

    /// Gaps, the newest readings and what is owed go out.
    public func didDrain(_ connection: Connection, now: BootTime) {
        if let subscription = broker.subscriptions[connection.token] { broker.catchUp(subscription, now: now) }
        broker.catchUpWithList(connection, now)
    }

    /// A stream ends with the word why.
    public func didGetStuck(_ connection: Connection, now: BootTime) {
        if let subscription = broker.subscriptions[connection.token] { broker.end(subscription, "slowClient", now) }
    }

    /// The caller's stream and waiting calls end.
    public func didClose(_ connection: Connection, now: BootTime) {
        if let subscription = broker.subscriptions[connection.token] { broker.drop(subscription, now: now) }
        broker.listWatchers.remove(connection.token)
        broker.dropReads(of: connection, now: now)
    }

    /// Does what the method says.
    public func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        switch call.method {
        case "ListResources": try listResources(call, connection, now, &writer)
        case "Read": try read(call, connection, now)
        case "Subscribe": try subscribe(call, connection, now)
        case "Modify": try modify(call, connection, now, &writer)
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }

    private func listResources(
        _ call: Call, _ connection: Connection, _ now: BootTime, _ writer: inout JSONWriter
    ) throws(VarlinkError) {
        try call.parameters.allowOnly()
        broker.refreshUnavailable(now: now)
        guard call.mode == .more else {
            writer.beginReply()
            writer.resources(broker.resources, for: broker.rights(of: connection))
            return writer.endReply()
        }
        broker.watchList(connection, now)
        broker.renewCheckpoint(of: connection, now: now)
    }

    private func read(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("resource", "maximumAgeNanoseconds", "timeoutNanoseconds", "satellites")
        let name = try call.parameters.string("resource")
        let age = try call.parameters.optionalInteger("maximumAgeNanoseconds", in: 0 ... .max) ?? 0
        let timeout = try call.parameters.optionalInteger("timeoutNanoseconds", in: 0 ... .max) ?? 10_000_000_000
        let index = try broker.readable(name, by: connection)
        let satellites = try call.parameters.optionalBool("satellites") ?? false
        // Nobody would hear the answer, and the device need not be bothered for it.
        guard call.mode != .oneway else { return }
        try broker.read(
            connection, index, maximumAge: age, timeout: min(timeout, Limits.readNanoseconds),
            withSatellites: satellites,
            now: now)
    }

    private func subscribe(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("requests")
        let requests = try Request.list(call.parameters.objects("requests"))
        guard !requests.isEmpty else { throw .invalidParameter("requests") }
        guard call.mode == .more else { throw .expectedMore }
        try broker.subscribe(connection, requests, now: now)
    }

    private func modify(
        _ call: Call, _ connection: Connection, _ now: BootTime, _ writer: inout JSONWriter
    ) throws(VarlinkError) {
        try call.parameters.allowOnly("subscription", "requests", "remove")
        let id = try call.parameters.string("subscription")
        let requests = try Request.list(call.parameters.optionalObjects("requests") ?? [])
        let remove = try call.parameters.optionalStrings("remove") ?? []
        // Somebody else's subscription is as unknown as one that is not there.
        guard let subscription = broker.subscriptions.values.first(where: { $0.id == id }),
            connection.peer.mayChange(subscription.connection.peer)
        else { throw .noSuchSubscription(id) }
        try broker.modify(subscription, requests, remove: remove, now: now)
        writer.beginReply()
        writer.member("revision", Int64(subscription.revision))
        broker.grants(subscription.parts, into: &writer)
        writer.endReply()
    }
}
