internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Programs

/// A consumer's connection to the server, until the program ends.
///
/// A first connection that fails is reported at once: somebody may wait for it. Later, a connection that ends is tried
/// again, and the server keeps what comes meanwhile for some minutes, if it speaks MQTT 5.
final class ConsumerLink {
    private let link: ServerLink
    private let prefix: String
    /// Nil: no signal ends the program.
    private let signals: Signals?
    private let note: (String) -> Void
    private var hasConnected = false
    /// Whether it was reported to the user that the connection has ended.
    private var isMissed = false
    /// How many signals asked the program to end.
    private(set) var stops = 0

    /// For how long the server keeps what comes while there is no connection.
    private static let sessionSeconds: UInt32 = 300
    /// As much as one reply of a broker can have.
    private static let mostPayloadBytes = 16 << 20

    init(
        _ settings: FleetSettings, _ arguments: Arguments, signals: consuming Signals?,
        note: @escaping (String) -> Void = Output.note, make: @escaping ServerLink.Maker = ConfinedConnection.begun
    ) throws(Failure) {
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        var plan = try ConnectionPlan(settings, clientID: "sensorctl-\(name)")
        plan.sessionSeconds = Self.sessionSeconds
        plan.mostPayloadBytes = Self.mostPayloadBytes
        link = ServerLink(
            plan, versions: settings.version, .consumer, filters: Self.filters(settings.prefix, arguments), make: make)
        prefix = settings.prefix
        self.note = note
        self.signals = signals
    }

    /// What is subscribed to: no more than is wanted, since more may not be allowed.
    private static func filters(_ prefix: String, _ arguments: Arguments) -> [String] {
        let isPattern = arguments.hosts.contains { "*?[\\+#".contains($0) }
        let hosts = "\(prefix)/\(isPattern ? "+" : arguments.hosts)"
        if arguments.resources.isEmpty { return ["\(hosts)/#"] }
        return ["\(hosts)/status"] + arguments.resources.sorted().flatMap { ["\(hosts)/\($0)", "\(hosts)/\($0)/late"] }
    }

    var isOnline: Bool { link.isOnline }

    /// Waits until something comes, at most until an instant of CLOCK_BOOTTIME, and returns it.
    func turn(until deadline: Int64) throws(Failure) -> [ServerMessage] {
        let isReadable = wait(until: deadline)
        return try turn(Clock.bootNanoseconds(), isReadable: isReadable)
    }

    /// Does what is due or has become possible, and returns what came.
    func turn(_ now: Int64, isReadable: Bool) throws(Failure) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        for event in link.turn(now, isReadable: isReadable) {
            switch event {
            case .message(let message): messages.append(message)
            case .online:
                if isMissed { note("connected to \(link.server) again") }
                (hasConnected, isMissed) = (true, false)
            case .ended(let end): try didEnd(end)
            case .answered, .noticed: break
            }
        }
        return messages
    }

    private func didEnd(_ end: LinkEnd) throws(Failure) {
        let remedy = end.cause == .subscription ? ": name what is allowed with --host and --resource" : ""
        guard hasConnected else {
            throw Failure(end.status, "\(link.server) cannot be used: \(end.words)\(remedy)")
        }
        if !isMissed { note("not connected to \(link.server): \(end.words)\(remedy); it is tried again") }
        isMissed = true
    }

    /// Waits; whether the server's socket can be read.
    private func wait(until deadline: Int64) -> Bool {
        link.flush()
        let now = Clock.bootNanoseconds()
        var end = min(deadline, link.deadline(now))
        if link.wantsToWrite { end = min(end, now + Nanoseconds.second / 100) }
        let socket = link.socket
        let ready = Wait.untilReadable(socket ?? -1, signalNumber, nanoseconds: max(0, end - now))
        if ready.second, takeSignal()?.isEnd == true { stops += 1 }
        return socket != nil && ready.first
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

    /// Asks hosts for what is missing, if there is a connection.
    func send(_ asks: [Inquiry.Ask]) {
        for ask in asks { _ = link.publish("\(prefix)/\(ask.host)/resend", ask.request.payload) }
    }

    /// Ends the connection in order, and what the server keeps for it.
    func close() { link.disconnect() }
}
