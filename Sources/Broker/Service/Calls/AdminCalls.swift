internal import Admission
public import Configuration
internal import Delivery
public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Admin`, for root and for the user that the daemon runs as.
public final class AdminCalls: CallHandler {
    private let broker: Broker
    private let reload: Reload
    /// The interfaces that this socket serves.
    public let information: ServiceInformation
    /// Administrators have connections of their own, in case clients take all the others.
    public let door = Door.administrators
    private let mock: Mock?

    /// Reads the configuration again and applies either all of it or nothing; answers, perhaps later, with its errors.
    public typealias Reload = (_ answer: @escaping (ConfigurationErrors?, BootTime) -> Void) -> Void

    /// Answers a call of `io.sensorbroker.Mock`, given the resources that are served at present.
    public typealias Mock = (
        _ call: Call, _ served: [(name: ResourceName, kind: Kind, isSimulated: Bool)], _ writer: inout JSONWriter
    ) throws(VarlinkError) -> Void

    /// Answers about a broker; `reload` reads its configuration again, `mock` injects faults into simulated devices.
    ///
    /// Without `mock`, its interface is not served.
    public init(_ broker: Broker, mock: Mock? = nil, reload: @escaping Reload) {
        self.broker = broker
        information = .sensorbrokerd(mock == nil ? [.admin] : [.admin, .mock])
        self.mock = mock
        self.reload = reload
    }

    /// Drops a waiting `Release`: its caller is gone.
    public func didClose(_ connection: Connection, now: BootTime) { broker.releases.devices.drop(connection.token) }

    /// Answers one call.
    public func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        guard connection.peer.isAdministrator else { throw .permissionDenied }
        if let mock, call.interface == InterfaceDescription.mock.name {
            let served = broker.catalog.resources.map {
                (name: $0.name, kind: $0.kind, isSimulated: $0.device?.isSimulated ?? false)
            }
            return try mock(call, served, &writer)
        }
        switch call.method {
        case "GetStatus": try status(call, connection, now)
        case "Release": try release(call, connection, now)
        case "Reacquire": try reacquire(call, now, into: &writer)
        case "Reload": try reloadConfiguration(call, connection)
        case "DisconnectClient": try disconnect(call, into: &writer)
        case "GetCalibrations": try CalibrationCalls(broker).list(call, into: &writer)
        case "SetCalibration": try CalibrationCalls(broker).set(call, connection, now: now)
        case "ForgetCalibration": try CalibrationCalls(broker).forget(call, connection, now: now)
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }

    private func status(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly()
        broker.devices.refreshMissing(now)
        // Nobody would receive the answer.
        guard call.mode != .oneway else { return }
        connection.makeBusy(with: StatusReply(broker))
    }

    private func release(_ call: Call, _ connection: Connection, _ now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("resource", "kind", "all", "seconds")
        let scope = try scope(call.parameters)
        let seconds = try call.parameters.optionalInteger("seconds", in: 1...Limits.releaseSeconds)
        broker.releases.release(scope, seconds: seconds, to: broker.sink, now: now)
        if call.mode != .oneway { broker.releases.answer(connection, whenClosed: scope, now: now) }
    }

    private func reacquire(_ call: Call, _ now: BootTime, into writer: inout JSONWriter) throws(VarlinkError) {
        try call.parameters.allowOnly("resource", "kind", "all")
        let names = broker.releases.reacquire(try scope(call.parameters), to: broker.sink, now: now)
        writer.beginReply()
        writer.member("reacquired", names.map(\.description))
        writer.endReply()
    }

    /// A resource, a kind or all: exactly one of them.
    private func scope(_ parameters: Parameters) throws(VarlinkError) -> ResourceScope {
        let name = try parameters.optionalString("resource")
        let kind = try parameters.optionalKind("kind")
        let isAll = try parameters.optionalBool("all") ?? false
        switch (name, kind, isAll) {
        case (let name?, nil, false):
            guard let resource = ResourceName(name), let index = broker.catalog.index(of: resource),
                !broker.catalog.device(of: index).isDerived
            else {
                throw .noSuchResourceToAdministrate(name)
            }
            return .resource(resource)
        case (nil, let kind?, false): return .kind(kind)
        case (nil, nil, true): return .all
        // Two of them were given, or none.
        case (.some, _, _): throw .invalidParameter(kind == nil ? "all" : "kind")
        case (nil, .some, true): throw .invalidParameter("all")
        case (nil, nil, false): throw .invalidParameter("resource")
        }
    }

    private func reloadConfiguration(_ call: Call, _ connection: Connection) throws(VarlinkError) {
        try call.parameters.allowOnly()
        // Nobody would receive the answer.
        guard call.mode != .oneway else { return reload { _, _ in } }
        connection.makeBusy()
        reload { [unowned self, token = connection.token] errors, now in
            // The client may have gone meanwhile.
            guard let connection = broker.server.clients[token] else { return }
            if let errors {
                connection.reply(.invalidConfiguration(errors), now: now)
            } else {
                connection.reply(now: now)
            }
            connection.finishCall()
        }
    }

    private func disconnect(_ call: Call, into writer: inout JSONWriter) throws(VarlinkError) {
        try call.parameters.allowOnly("id")
        let id = try call.parameters.integer("id")
        guard let connection = broker.server.clients.all.first(where: { Int64($0.serial) == id }) else {
            throw .noSuchClient(id)
        }
        broker.server.clients.close(connection)
        writer.reply()
    }
}
