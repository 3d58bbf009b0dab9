internal import Delivery
public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Broker`: reads their parameters, lets the broker act, and writes their replies.
public final class BrokerCalls: CallHandler {
    private let broker: Broker
    /// The interfaces that this socket serves.
    public let information = ServiceInformation.sensorbrokerd([.broker, .metrics])

    /// Answers calls to a broker.
    public init(_ broker: Broker) { self.broker = broker }

    /// Sends what is pending for the client: gaps, the newest readings, states, the list.
    public func didDrain(_ connection: Connection, now: BootTime) {
        if let stream = broker.streams[connection.token] { broker.streams.catchUp(stream, to: broker.sink, now: now) }
        broker.list.catchUp(connection, now)
    }

    /// Ends the client's stream with the reason.
    public func didGetStuck(_ connection: Connection, now: BootTime) {
        if let stream = broker.streams[connection.token] {
            broker.streams.end(stream, "slowClient", to: broker.sink, now)
        }
    }

    /// Ends the client's stream and its waiting calls.
    public func didClose(_ connection: Connection, now: BootTime) {
        if let stream = broker.streams[connection.token] { broker.streams.drop(stream, to: broker.sink, now: now) }
        broker.list.drop(connection.token)
        broker.reads.drop(connection.token, to: broker.sink, now: now)
    }

    /// Answers one call; for a resource that there is not, looks again for missing devices, one of which may have it.
    public func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        do throws(VarlinkError) { try reply(to: call, from: connection, now, into: &writer) } catch {
            if error.isNoSuchResource { broker.devices.refreshMissing(now) }
            throw error
        }
    }

    private func reply(
        to call: Call, from connection: Connection, _ now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        if call.interface == InterfaceDescription.metrics.name { return try metrics(call, connection, now) }
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
        broker.devices.refreshMissing(now)
        guard call.mode == .more else {
            writer.beginReply()
            writer.resources(broker.catalog.resources, for: broker.catalog.rights(of: connection))
            return writer.endReply()
        }
        broker.list.watch(connection, now)
        broker.context.checkpoint.renew(connection, now: now)
    }

    private func read(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("resource", "maximumAgeNanoseconds", "timeoutNanoseconds", "satellites")
        let name = try call.parameters.string("resource")
        let age = try call.parameters.optionalInteger("maximumAgeNanoseconds", in: 0 ... .max) ?? 0
        let timeout = try call.parameters.optionalInteger("timeoutNanoseconds", in: 0 ... .max) ?? 10_000_000_000
        let index = try broker.catalog.readable(name, by: connection)
        let satellites = try call.parameters.optionalBool("satellites") ?? false
        // Nobody would receive the answer, so the device is not asked.
        guard call.mode != .oneway else { return }
        try broker.reads.read(
            connection, index, maximumAge: age, timeout: min(timeout, Limits.readNanoseconds),
            withSatellites: satellites, to: broker.sink, now: now)
    }

    private func metrics(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly()
        guard call.mode == .more else { throw .expectedMore }
        switch call.method {
        case "List": connection.makeBusy(with: MetricsReply(broker, for: broker.catalog.rights(of: connection)))
        default: connection.makeBusy(with: MetricFamiliesReply())
        }
    }

    private func subscribe(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("requests")
        let requests = try Request.list(call.parameters.objects("requests"))
        guard !requests.isEmpty else { throw .invalidParameter("requests") }
        guard call.mode == .more else { throw .expectedMore }
        try broker.streams.subscribe(connection, requests, to: broker.sink, now: now)
    }

    private func modify(
        _ call: Call, _ connection: Connection, _ now: BootTime, _ writer: inout JSONWriter
    ) throws(VarlinkError) {
        try call.parameters.allowOnly("subscription", "requests", "remove")
        let id = try call.parameters.string("subscription")
        let requests = try Request.list(call.parameters.optionalObjects("requests") ?? [])
        let remove = try call.parameters.optionalStrings("remove") ?? []
        // Another user's subscription is as unknown as one that does not exist.
        guard let subscription = StreamID(id).flatMap({ broker.streams.stream(named: $0) }),
            connection.peer.mayChange(subscription.connection.peer)
        else { throw .noSuchSubscription(id) }
        try broker.streams.changes.modify(subscription, requests, remove: remove, to: broker.sink, now: now)
        writer.beginReply()
        writer.member("revision", Int64(subscription.revision))
        broker.streams.updates.writeGrants(of: subscription, for: requests, into: &writer)
        writer.endReply()
    }
}
