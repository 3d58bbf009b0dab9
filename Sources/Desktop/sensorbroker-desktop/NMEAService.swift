internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs
internal import Varlink

/// Serves locations as NMEA 0183 on a Unix socket, to geoclue and to members of the group `sensorbroker`.
///
/// geoclue connects once, and never again after the end of file. So a connection outlives the broker, whose stream is renewed
/// behind it, and this process, which gives it to the service manager to keep. The broker is asked only while somebody is
/// connected; without a client this process ends, and the service manager listens.
final class NMEAService {
    private enum Token {
        static let signals: UInt64 = 0
        static let listener: UInt64 = 1
        static let broker: UInt64 = 2
        /// And the clients', in the order in which they came.
        static let firstClient: UInt64 = 3
    }

    /// As many as there can be programs of a host that need a location in this way.
    private static let mostClients = 64
    /// How many it accepts, before it is the turn of others.
    private static let mostAtOnce = 16
    /// How long it waits for another client before it ends.
    private static let idleNanoseconds: Int64 = 5_000_000_000
    /// How long it waits before it accepts clients again, where no descriptor is left.
    private static let pauseNanoseconds: Int64 = 100_000_000

    private var loop: EventLoop
    private let signals: Signals
    private let listener: ListeningSocket
    private let paths: [String]
    private let notification = ServiceNotification()
    private let journal = Journal(program: Program.name)
    private var stream: StandingCall?
    private var clients: [UInt64: NMEAClient] = [:]
    private var nextToken = Token.firstClient
    private var endsNanoseconds: Int64?
    /// When it accepts clients again; nil: it does.
    private var acceptsNanoseconds: Int64?
    private var complaints: BrokerComplaints
    /// The last user with too many connections, which is logged once.
    private var crowd: UInt32?

    /// A service on a socket, or on that of the service manager, which passes the clients of the process before as well.
    init(paths: [String], socket: String?) throws {
        let passed = PassedSockets.take()
        loop = try EventLoop()
        signals = try Signals()
        self.paths = paths
        complaints = BrokerComplaints(journal)
        if let socket {
            listener = try ListeningSocket(path: socket, mode: 0o660, groupID: Permission.groupID)
        } else if let number = passed.first(where: { PassedSockets.isListening($0) }) {
            listener = try ListeningSocket(passed: Descriptor(owning: number))
        } else {
            throw Failure(
                .usage, "there is no socket to serve: start sensorbroker-nmea.socket, or add --listen PATH")
        }
        try loop.add(signals.number, .read, token: Token.signals)
        try loop.add(listener.number, .read, token: Token.listener)
        for number in passed where number != listener.number {
            admit(UnixSocket(Descriptor(owning: number)), isNew: false)
        }
        noteIdleness()
    }

    /// Serves until it is ordered to stop, or nobody is connected any more.
    func run() throws -> ExitStatus {
        notification.ready()
        var ready = ReadyList()
        while true {
            let now = Clock.bootNanoseconds()
            if let event = stream?.connect(loop, token: Token.broker, now) { take(event) }
            if let instant = endsNanoseconds, now >= instant, !listener.isOwn { return .done }
            if let instant = acceptsNanoseconds, now >= instant {
                acceptsNanoseconds = nil
                try loop.add(listener.number, .read, token: Token.listener)
            }
            let instants = [stream?.retryNanoseconds, listener.isOwn ? nil : endsNanoseconds, acceptsNanoseconds]
                .compactMap(\.self)
            try loop.wait(nanoseconds: instants.min().map { max(0, $0 - now) }, into: &ready)
            for event in ready {
                switch event.token {
                case Token.signals: if case .stop = signals.take() { return .done }
                case Token.listener: accept()
                case Token.broker: if let event = stream?.read(Clock.bootNanoseconds()) { take(event) }
                default: attend(to: event)
                }
            }
        }
    }

    // MARK: clients

    /// What waits beyond that has the next turn: whoever connects without end, and anybody may, holds up nobody else.
    private func accept() {
        for _ in 0..<Self.mostAtOnce {
            switch listener.accept() {
            case .client(let socket): admit(socket, isNew: true)
            case .nobody: return
            case .exhausted:
                // It stays readable: without a pause the loop would turn at full speed.
                loop.remove(listener.number)
                acceptsNanoseconds = Clock.bootNanoseconds() + Self.pauseNanoseconds
                return
            }
        }
    }

    private func admit(_ socket: consuming UnixSocket, isNew: Bool) {
        guard let peer = try? socket.peer(), clients.count < Self.mostClients,
            !isNew || Permission.mayReadLocations(peer) && leavesRoom(peer.userID)
        else { return }
        let client = NMEAClient(socket, of: peer.userID)
        guard (try? loop.add(client.number, .read, token: nextToken)) != nil else { return }
        if isNew { notification.keep(client.number, named: "client") }
        clients[nextToken] = client
        nextToken += 1
        noteIdleness()
    }

    /// Whether a user has no more connections than are left for others.
    private func leavesRoom(_ user: UInt32) -> Bool {
        let own = clients.values.count { $0.userID == user }
        let leavesRoom = own < Self.mostClients - clients.count
        if !leavesRoom, crowd != user {
            crowd = user
            journal.write(.warning, "user \(user) has as many connections for NMEA as it may have: \(own)")
        }
        return leavesRoom
    }

    private func attend(to event: ReadyDescriptor) {
        guard let client = clients[event.token] else { return }
        if event.isReadable || event.isHungUp, !client.isThere { return drop(event.token) }
        if event.isWritable { send([], to: client, event.token) }
    }

    private func send(_ bytes: [UInt8], to client: NMEAClient, _ token: UInt64) {
        let waited = client.isBehind
        guard client.send(bytes) else { return drop(token) }
        guard client.isBehind != waited else { return }
        _ = try? loop.change(client.number, client.isBehind ? [.read, .write] : .read, token: token)
    }

    /// The service manager has the socket too, and lets go of it only once both directions have ended.
    private func drop(_ token: UInt64) {
        if let client = clients.removeValue(forKey: token) {
            loop.remove(client.number)
            client.end()
        }
        noteIdleness()
    }

    private func noteIdleness() {
        guard clients.isEmpty else {
            endsNanoseconds = nil
            if stream == nil { stream = StandingCall(Self.call, paths: paths) }
            return
        }
        stream = nil
        endsNanoseconds = Clock.bootNanoseconds() + Self.idleNanoseconds
    }

    // MARK: the broker

    private static var call: Call {
        var request = Request(resource: "location")
        request.intervalNanoseconds = Nanoseconds.second
        return Call(Interface.subscribe, parameters: ["requests": .array([request.json])], mode: .more)
    }

    private func take(_ event: StandingCall.Event) {
        switch event {
        case .replies(let replies):
            for reply in replies {
                guard let update = try? Update(reply) else { continue }
                complaints.end()
                for case .location(let location, _) in update.readings.map(\.content) {
                    let lines = NMEASentences.lines(location)
                    for (token, client) in clients { send(lines, to: client, token) }
                }
            }
        case .lost(let reason): complaints.isLost(reason)
        case .refused(let error): complaints.refuses("location", error)
        }
    }
}
