internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform

/// A consumer's connection to the server, again and again until the program ends.
///
/// Who cannot connect at first is told at once: somebody may wait for it. Later, a connection that ends is tried again, and
/// the server keeps what comes meanwhile for some minutes, if it speaks MQTT 5.
final class ServerLink {
    /// What came.
    struct Message {
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool
    }

    private enum Stage {
        case waiting(until: Int64)
        case dialling(since: Int64)
        case greeting(since: Int64)
        case subscribing(since: Int64)
        case online
    }

    /// A connection that has not begun, as planned.
    typealias Maker = (ConnectionPlan) throws(StartFailure) -> any ServerConnection

    private let server: ServerAddress
    private let passwordFile: String?
    private let filters: [String]
    /// Nil: no signal ends the program.
    private let signals: Signals?
    private var plan: ConnectionPlan
    private var stage = Stage.waiting(until: 0)
    private let make: Maker
    private let note: (String) -> Void
    private var connection: (any ServerConnection)?
    private var choice: VersionChoice
    private var redial = Redial()
    private var unanswered = 0
    private var hasConnected = false
    private var messages: [Message] = []
    /// How many signals asked the program to end.
    private(set) var stops = 0

    private static let second: Int64 = 1_000_000_000
    private static let patience = 20 * second
    /// The library has to look at its keepalive.
    private static let pulse = 5 * second
    /// For how long the server keeps what comes while there is no connection.
    private static let sessionSeconds: UInt32 = 300
    /// As much as one reply of a broker can have.
    private static let mostPayloadBytes = 16 << 20

    init(
        _ settings: FleetSettings, _ arguments: Arguments, signals: consuming Signals?,
        note: @escaping (String) -> Void = Output.note,
        make: @escaping Maker = ConfinedConnection.begun
    ) throws(StartFailure) {
        guard let server = settings.server else { throw StartFailure(78, "there is no server; see --server") }
        (self.server, self.note, self.make) = (server, note, make)
        passwordFile = try Self.path(settings.passwordFile, "PasswordFile")
        filters = Self.filters(settings.prefix, arguments)
        self.signals = signals
        choice = VersionChoice(settings.version)
        var generator = SystemRandomNumberGenerator()
        let name = String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
        plan = ConnectionPlan(server, clientID: "sensorctl-\(name)", version: settings.version ?? .five)
        plan.certificate = try Self.path(settings.certificate, "Certificate")
        plan.key = try Self.path(settings.key, "Key")
        plan.authority = try Self.path(settings.authority, "Authority")
        plan.user = settings.user
        (plan.sessionSeconds, plan.mostPayloadBytes) = (Self.sessionSeconds, Self.mostPayloadBytes)
    }

    private static func path(_ name: String?, _ key: String) throws(StartFailure) -> String? {
        guard let name else { return nil }
        return try Credential.path(name, key)
    }

    /// What is subscribed to: no more than is wanted, since more may not be allowed.
    private static func filters(_ prefix: String, _ arguments: Arguments) -> [String] {
        let isPattern = arguments.hosts.contains { "*?[\\+#".contains($0) }
        let hosts = "\(prefix)/\(isPattern ? "+" : arguments.hosts)"
        if arguments.resources.isEmpty { return ["\(hosts)/#"] }
        return ["\(hosts)/status"] + arguments.resources.sorted().flatMap { ["\(hosts)/\($0)", "\(hosts)/\($0)/late"] }
    }

    /// Whether messages come.
    var isOnline: Bool { if case .online = stage { true } else { false } }

    /// Waits until something comes, at most until an instant of CLOCK_BOOTTIME, and returns it.
    func turn(until deadline: Int64) throws(StartFailure) -> [Message] {
        let isReadable = wait(until: deadline)
        return try turn(Clock.bootNanoseconds(), isReadable: isReadable)
    }

    /// Does what is due or has become possible, and returns what came.
    func turn(_ now: Int64, isReadable: Bool) throws(StartFailure) -> [Message] {
        switch stage {
        case .waiting(let until): if now >= until { try dial(now) }
        case .dialling(let since), .greeting(let since), .subscribing(let since):
            try listen(isReadable, now)
            guard connection != nil, now - since > Self.patience else { break }
            switch stage {
            case .dialling:
                try end("nobody answered within \(Self.patience / Self.second) s", 69, .unreachable, now)
            case .greeting, .subscribing: try end("the server does not answer", 69, .unreachable, now)
            case .waiting, .online: break
            }
        case .online: try listen(isReadable, now)
        }
        defer { messages = [] }
        return messages
    }

    /// Waits; whether the server's socket can be read.
    private func wait(until deadline: Int64) -> Bool {
        let now = Clock.bootNanoseconds()
        var end = min(deadline, now + Self.pulse)
        var socket: Int32?
        switch stage {
        case .waiting(let until): end = min(end, until)
        case .dialling, .greeting, .subscribing, .online:
            socket = connection?.socket
            if connection?.wantsToWrite ?? false { end = min(end, now + Self.second / 100) }
            if connection?.mayHoldMore ?? false { end = now }
        }
        let ready = Wait.untilReadable(socket ?? -1, signalNumber, nanoseconds: max(0, end - now))
        if ready.second, takeSignal() == .stop { stops += 1 }
        return socket != nil && ready.first || connection?.mayHoldMore ?? false
    }

    private var signalNumber: Int32? {
        switch signals {
        case .some(let signals): signals.number
        case nil: nil
        }
    }

    private func takeSignal() -> Signals.Request? {
        switch signals {
        case .some(let signals): signals.take()
        case nil: nil
        }
    }

    private func dial(_ now: Int64) throws(StartFailure) {
        plan.password = passwordFile.flatMap { SmallFile.line(at: $0) }
        plan.version = choice.version(now)
        do throws(StartFailure) {
            connection = try make(plan)
            stage = .dialling(since: now)
        } catch { try end(error.description, error.status, .unreachable, now) }
    }

    private func listen(_ isReadable: Bool, _ now: Int64) throws(StartFailure) {
        let ending = connection?.turn(isReadable: isReadable)
        for event in connection?.takeEvents() ?? [] { try take(event, now) }
        guard connection != nil, let ending else { return }
        if isOnline { return try end(ending.words, 69, .lost(livedNanoseconds: .max), now) }
        if case .subscribing = stage { return try end(ending.words, 69, .unreachable, now) }
        switch ending.cause {
        case .unreachable, .crashed: try end(ending.words, 69, .unreachable, now)
        case .settings: try end(ending.words, 78, .refused(.permanent), now)
        case .broken, .encryption: try endUnanswered(ending, now)
        }
    }

    /// The server is there, and its connection ended without an answer.
    private func endUnanswered(_ ending: ConnectionEnd, _ now: Int64) throws(StartFailure) {
        var words = ending.words
        if plan.certificate != nil, server.isEncrypted {
            words += " (this is also how a server refuses a client's certificate with TLS 1.3)"
        }
        if ending.cause == .broken, choice.close(now), !hasConnected { return again(now) }
        if ending.cause == .broken, choice.isSet, plan.version == .five {
            words += "; if it speaks only MQTT 3.1.1, write Version=3.1.1 under [Server]"
        }
        try end(words, 69, .unreachable, now)
    }

    /// The next attempt is of another kind.
    private func again(_ now: Int64) {
        connection = nil
        stage = .waiting(until: now)
    }

    private func take(_ event: ServerEvent, _ now: Int64) throws(StartFailure) {
        switch event {
        case .reached: if case .dialling = stage { stage = .greeting(since: now) }
        case .connected(let greeting): if case .greeting = stage { try greeted(greeting.reason, now) }
        case .disconnected(let reason):
            try end("it ended the connection: \(MQTTConnection.reason(reason))", 69, .lost(livedNanoseconds: .max), now)
        case .subscribed(let reason): if case .subscribing = stage { try subscribed(reason, now) }
        case .answered: break
        case .message(let topic, let payload, let isRetained):
            messages.append(Message(topic: topic, payload: payload, isRetained: isRetained))
        }
    }

    private func greeted(_ reason: Int32, _ now: Int64) throws(StartFailure) {
        guard reason == 0 else {
            let refusal = Refusal(refusedFor: reason)
            if refusal == .version, choice.refuse(now) { return again(now) }
            let status: Int32 = refusal == .credentials ? 77 : 69
            let remedy = refusal == .version && choice.isSet ? "; see Version= under [Server]" : ""
            return try end(
                "it refuses the connection: \(MQTTConnection.reason(reason))\(remedy)", status, .refused(refusal), now)
        }
        guard choice.accept() else {
            connection?.disconnect()
            return again(now)
        }
        stage = .subscribing(since: now)
        unanswered = filters.count
        for filter in filters { connection?.subscribe(filter) }
    }

    private func subscribed(_ reason: Int32, _ now: Int64) throws(StartFailure) {
        guard reason < 0x80 else {
            let words =
                "the server does not allow \(plan.user ?? "this user") to read \(filters.joined(separator: ", ")): name what is "
                + "allowed with --host and --resource"
            if !hasConnected { throw StartFailure(77, words) }
            return try end(words, 77, .refused(.credentials), now)
        }
        unanswered -= 1
        guard unanswered <= 0 else { return }
        if hasConnected { note("connected to \(server) again") }
        (stage, hasConnected) = (.online, true)
    }

    private func end(_ reason: String, _ status: Int32, _ end: Redial.End, _ now: Int64) throws(StartFailure) {
        connection = nil
        guard hasConnected else { throw StartFailure(status, "\(server) cannot be used: \(reason)") }
        if isOnline { note("not connected to \(server): \(reason); it is tried again") }
        var generator = SystemRandomNumberGenerator()
        let wait = redial.wait(after: end, isForeign: false, random: Double.random(in: 0...1, using: &generator))
        // Somebody may be looking: not as patient as a fleet.
        stage = .waiting(until: now + min(wait, 5 * Self.second))
    }

    /// Sends a message, if there is a connection.
    func publish(_ topic: String, _ payload: [UInt8]) {
        if isOnline { _ = connection?.publish(topic, payload, isRetained: false) }
    }

    /// Ends the connection in order, and what the server keeps for it.
    func close() { if isOnline { connection?.disconnect() } }
}
