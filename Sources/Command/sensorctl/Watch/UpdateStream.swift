internal import BrokerClient
internal import Platform
internal import Printable
internal import Programs
internal import Varlink

/// A stream of the broker as commands follow it: its updates one by one, and what ends it as a failure.
struct UpdateStream: ~Copyable {
    /// An update, and whether others follow.
    typealias Item = (update: Update, continues: Bool)

    /// The broker sends something at least every 30 s, so it hangs if it is silent for this long.
    private static let longestSilenceNanoseconds = 90 * Nanoseconds.second

    private let broker: Broker
    private var connection: BrokerConnection
    /// When the broker has been silent for too long; nil: the command has a limit of its own.
    private var silenceEnds: Int64?

    init(_ requests: [Request], _ broker: Broker) throws(Failure) {
        let connection = try broker.connect()
        try connection.ask(
            Call(Interface.subscribe, parameters: ["requests": .array(requests.map { $0.json })], mode: .more))
        self.broker = broker
        self.connection = connection
    }

    /// The path of the broker's socket.
    var path: String? { connection.path }

    /// The first update, within the broker's timeout; from then on, the broker may not be silent for too long.
    mutating func begin() throws(Failure) -> Item {
        guard let first = try connection.answer(until: BootClock.after(broker.timeoutNanoseconds)) else {
            throw broker.mute(path)
        }
        silenceEnds = BootClock.after(Self.longestSilenceNanoseconds)
        return try read(first)
    }

    /// The next update; nil if none came by an instant of CLOCK_BOOTTIME.
    mutating func next(until instant: Int64) throws(Failure) -> Item? {
        if let item = try nextArrived() { return item }
        if let reply = try connection.answer(until: min(instant, silenceEnds ?? .max)) { return try read(reply) }
        if BootClock.nanoseconds(until: instant) > 0 { try checkSilence() }
        return nil
    }

    /// The next update among those that have arrived; nil if there is none.
    mutating func nextArrived() throws(Failure) -> Item? {
        let reply: Reply?
        do throws(ConnectionFault) { reply = try connection.nextReply() } catch { throw Failure(error) }
        return try reply.map { reply throws(Failure) in try read(reply) }
    }

    /// Waits until something arrives or an instant comes, or until a signal, whose request is returned.
    mutating func wait(until instant: Int64, _ signals: borrowing Signals) throws(Failure) -> Signals.Request? {
        try checkSilence()
        let left = max(0, BootClock.nanoseconds(until: min(instant, silenceEnds ?? .max)))
        let ready = Wait.untilReadable(connection.number, signals.number, nanoseconds: left)
        if ready.second { return signals.take() }
        if ready.first { try receive() }
        return nil
    }

    /// Reads what has arrived; whether something has.
    mutating func receiveArrived() throws(Failure) -> Bool {
        guard Wait.untilReadable(connection.number, nanoseconds: 0).first else { return false }
        try receive()
        return true
    }

    private mutating func receive() throws(Failure) {
        do throws(ConnectionFault) { try connection.receive() } catch { throw Failure(error) }
    }

    private mutating func read(_ reply: Reply) throws(Failure) -> Item {
        if silenceEnds != nil { silenceEnds = BootClock.after(Self.longestSilenceNanoseconds) }
        switch reply {
        case .failure(let error): throw broker.failure(for: error)
        case .success(let parameters, let continues):
            return (try understand { () throws(VarlinkError) in try Update(parameters) }, continues)
        }
    }

    private func checkSilence() throws(Failure) {
        guard let silenceEnds, BootClock.nanoseconds(until: silenceEnds) <= 0 else { return }
        throw Failure(.timedOut, "the broker has been silent for too long; see its log: \(broker.service.log)")
    }
}

extension Failure {
    /// The broker has gone, without an announcement.
    static let brokerGone = Self(ConnectionFault.closed)
    /// The broker ends in order, and has announced it.
    static let brokerShutdown = Self(
        .unavailable, "the broker is shutting down; start it again, then repeat this command")

    /// Why the broker ended a stream, and what to do.
    static func ended(_ reason: String?) -> Self {
        switch reason {
        case "shutdown": brokerShutdown
        case "slowClient":
            Self(
                .unavailable,
                "the broker ended the stream, because this program read too slowly; ask for fewer readings with --interval"
            )
        case "permissionDenied": Broker.mayNotRead
        case let reason?: Self(.unavailable, "the broker ended the stream: \(reason.printable)")
        case nil: Self(.unavailable, "the broker ended the stream without a reason")
        }
    }

    /// The time of `--for` is up before `--count` readings have come.
    static func missing(_ readings: Int) -> Self {
        Self(.timedOut, "\(readings) of the readings did not arrive in time; see: sensorctl list")
    }
}
