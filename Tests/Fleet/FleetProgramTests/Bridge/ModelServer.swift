import Fleet
import MQTT
import Platform

/// A server of MQTT, and the network before it, on virtual time: what it answers, and whether it is there, a test decides.
final class ModelServer {
    /// What follows a message.
    enum Answer {
        case reason(Int32)
        case silence
        case disconnect(Int32)
    }

    /// Whether a client gets through.
    enum Network {
        case open
        /// Who dials is refused, and who is connected is cut off.
        case refusing
        /// Nothing passes, in either direction, and nobody is informed.
        case stalled
        /// The name server does not answer.
        case silent
    }

    /// How a client introduced itself.
    struct Introduction {
        let version: ProtocolVersion
        let wantsKeptWill: Bool
        let instant: Int64
    }

    /// A message that somebody gets who has subscribed.
    typealias Message = (topic: String, payload: [UInt8], isRetained: Bool)

    // What a test decides
    /// The reason of the answer to a connection, by its number from 1 on; nil: there is no answer.
    var greeting: (_ number: Int) -> Int32? = { _ in 0 }
    var answer: (_ topic: String, _ payload: [UInt8]) -> Answer = { _, _ in .reason(0) }
    var subscriptionReason: Int32 = 1
    var versions: Set<ProtocolVersion> = [.three, .five]
    /// Whether it closes a connection of a version instead of answering.
    var closes: (ProtocolVersion) -> Bool = { _ in false }
    var receiveMaximum: Int?
    var packetMaximum: Int?
    var maximumQoS: Int32 = 2
    var retains = true
    private(set) var network = Network.open

    // What it saw
    private(set) var introductions: [Introduction] = []
    private(set) var published: [(topic: String, payload: [UInt8])] = []
    private(set) var subscriptions: [String] = []
    /// How many messages have no answer at present.
    private(set) var unanswered = 0
    private(set) var mostUnanswered = 0
    /// The most dials that had no answer at once.
    private(set) var mostDials = 0
    /// What it keeps for whoever comes later.
    private(set) var kept: [String: [UInt8]] = [:]
    /// What waits for the consumer, who may be slow.
    private(set) var queue: [Message] = []

    /// Set by whatever happens; whoever drives the model clears it.
    var isTouched = false
    var now: Int64 = 0

    private var connection: ModelConnection?
    private var dials = 0

    // MARK: What a client sees

    fileprivate func beginDial() {
        isTouched = true
        dials += 1
        mostDials = max(mostDials, dials)
    }

    fileprivate func endDial() { dials -= 1 }

    fileprivate func introduce(_ connection: ModelConnection) {
        isTouched = true
        self.connection?.end(.broken, "taken over")
        self.connection = connection
        introductions.append(
            Introduction(version: connection.version, wantsKeptWill: connection.wantsKeptWill, instant: now))
        if closes(connection.version) {
            connection.end(.broken, "The connection was lost.")
            return leave(connection)
        }
        guard var reason = versions.contains(connection.version) ? greeting(introductions.count) : 1 else { return }
        if reason == 0, connection.wantsKeptWill, !retains, !announcesRetain { reason = 0x9A }
        connection.deliver(
            .connected(
                Greeting(
                    reason: reason, receiveMaximum: receiveMaximum, packetMaximum: packetMaximum,
                    maximumQoS: maximumQoS, retains: retains || !announcesRetain)))
        if reason > 0 { drop(connection) }
    }

    /// Whether it announces in its answer that it keeps nothing; else it refuses who wants that.
    var announcesRetain = true

    fileprivate func take(_ topic: String, _ payload: [UInt8], _ isRetained: Bool, _ identifier: Int32) {
        isTouched = true
        published.append((topic, payload))
        guard let connection else { return }
        unanswered = connection.unanswered
        mostUnanswered = max(mostUnanswered, unanswered)
        switch answer(topic, payload) {
        case .silence: break
        case .reason(let reason):
            if reason == 0 {
                if isRetained { kept[topic] = payload.isEmpty ? nil : payload }
                queue.append((topic, payload, false))
            }
            connection.deliver(.answered(identifier: identifier, reason: reason))
        case .disconnect(let reason):
            connection.deliver(.disconnected(reason: reason))
            drop(connection)
        }
    }

    fileprivate func subscribe(_ topic: String) {
        isTouched = true
        subscriptions.append(topic)
        connection?.deliver(.subscribed(reason: subscriptionReason))
        guard subscriptionReason < 0x80 else { return }
        connection?.topics.append(topic)
        for (name, payload) in kept.sorted(by: { $0.key < $1.key }) where Self.matches(name, topic) {
            connection?.deliver(.message(topic: name, payload: payload, isRetained: true))
        }
    }

    fileprivate func leave(_ connection: ModelConnection) {
        if self.connection === connection { self.connection = nil }
    }

    private func drop(_ connection: ModelConnection) {
        connection.end(.broken, "the server closed the connection")
        leave(connection)
    }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        let (parts, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        if wanted.last == "#" {
            return zip(parts, wanted.dropLast()).allSatisfy { $0 == $1 || $1 == "+" } && parts.count >= wanted.count - 1
        }
        return parts.count == wanted.count && zip(parts, wanted).allSatisfy { $0 == $1 || $1 == "+" }
    }

    // MARK: What a test does

    /// Whether the bridge is connected.
    var isConnected: Bool { connection != nil }

    /// Somebody else publishes; who is not connected does not get it, unless it is kept.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        isTouched = true
        if isRetained { kept[topic] = payload.isEmpty ? nil : payload }
        queue.append((topic, payload, false))
        if let connection, connection.topics.contains(where: { Self.matches(topic, $0) }) {
            connection.deliver(.message(topic: topic, payload: payload, isRetained: false))
        }
    }

    /// What waits for the consumer.
    func takeQueue() -> [Message] {
        defer { queue = [] }
        return queue
    }

    /// The server is killed and started again: it forgets what it kept, and what waits.
    func kill() {
        (kept, queue) = ([:], [])
        cut()
    }

    /// The connection is lost, with all answers that are on their way.
    func cut() {
        isTouched = true
        connection?.lose()
        connection = nil
    }

    /// The network changes.
    func set(_ network: Network) {
        isTouched = true
        self.network = network
        if network == .refusing { cut() }
    }
}

/// A connection to the model of a server.
final class ModelConnection: ServerConnection {
    let version: ProtocolVersion
    let wantsKeptWill: Bool
    fileprivate var topics: [String] = []
    fileprivate private(set) var unanswered = 0

    private let server: ModelServer
    private var events: [ServerEvent] = []
    private var isDialling = true
    private var ending: ConnectionEnd?
    private var identifier: Int32 = 0
    private var stalledSince: Int64?
    /// What was sent while nothing passed.
    private var held: [() -> Void] = []
    private static let keepalive: Int64 = 30_000_000_000

    init(_ server: ModelServer, _ version: ProtocolVersion, wantsKeptWill: Bool) {
        (self.server, self.version, self.wantsKeptWill) = (server, version, wantsKeptWill)
        server.beginDial()
    }

    deinit { if isDialling { server.endDial() } }

    var socket: Int32 { -1 }
    var wantsToWrite: Bool { false }
    var mayHoldMore: Bool { false }
    var deadline: Int64 { server.now + 5_000_000_000 }

    func turn(isReadable: Bool) -> [ServerEvent] {
        let end = advance().map { [ServerEvent.ended($0)] } ?? []
        guard server.network != .stalled else { return end }
        defer { events = [] }
        for case .answered in events { unanswered -= 1 }
        return events + end
    }

    private func advance() -> ConnectionEnd? {
        if isDialling {
            switch server.network {
            case .stalled, .silent: return nil
            case .refusing: return ConnectionEnd(.unreachable, "Connection refused")
            case .open:
                isDialling = false
                server.endDial()
                deliver(.reached)
                server.introduce(self)
            }
        }
        guard server.network != .stalled else {
            stalledSince = stalledSince ?? server.now
            guard let since = stalledSince, server.now - since >= Self.keepalive else { return nil }
            server.leave(self)
            (events, held) = ([], [])
            return ConnectionEnd(.broken, "The client did not answer")
        }
        stalledSince = nil
        for send in held { send() }
        held = []
        return ending
    }

    func flush() {}

    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, mayWait: Bool) -> Int32? {
        guard ending == nil else { return nil }
        identifier += 1
        unanswered += 1
        let identifier = identifier
        send { [server] in server.take(topic, payload, isRetained, identifier) }
        return identifier
    }

    func subscribe(_ topic: String) { if ending == nil { send { [server] in server.subscribe(topic) } } }

    private func send(_ action: @escaping () -> Void) {
        if server.network == .stalled { held.append(action) } else { action() }
    }

    func disconnect() {
        ending = ConnectionEnd(.broken, "ended in order")
        server.leave(self)
    }

    fileprivate func deliver(_ event: ServerEvent) { events.append(event) }

    fileprivate func end(_ cause: ConnectionEnd.Cause, _ words: String) { ending = ConnectionEnd(cause, words) }

    fileprivate func lose() {
        (events, held, ending) = ([], [], ConnectionEnd(.broken, "The connection was lost."))
    }
}
