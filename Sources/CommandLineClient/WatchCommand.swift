internal import BrokerClient
internal import Platform
internal import Varlink

/// `sensorctl watch`: readings as they come.
struct WatchCommand {
    /// The broker says something at least every 30 s, so this long a silence is no broker's.
    private static let longestSilenceNanoseconds: Int64 = 90_000_000_000

    private let options: WatchOptions
    private let terminal: Terminal
    private var format: any StreamFormat
    private var remaining: Int
    private var hasBegun = false

    init(_ options: WatchOptions, _ format: OutputFormat, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
        self.format = format.stream(WallClock(), isColoured: terminal.isColoured)
        remaining = options.count ?? .max
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        var connection = try broker.connect()
        try connection.ask(
            Call(
                Interface.subscribe, parameters: ["requests": .array(options.requests.map { $0.json })], mode: .more))
        while remaining > 0 {
            // Where readings come faster than they are written, there is always one more.
            guard BootClock.nanoseconds(until: end) > 0 else { return try checkEnd(isTime: true) }
            let silence = BootClock.after(Self.longestSilenceNanoseconds)
            guard let reply = try connection.answer(until: min(end, silence)) else {
                return try checkEnd(isTime: end <= silence)
            }
            switch reply {
            case .failure(let error): throw broker.failure(for: error)
            case .success(let parameters, let continues): try show(parameters, continues: continues)
            }
        }
    }

    /// Nothing came any more: the time is up, which is a failure where readings were counted, or the broker is stuck.
    private func checkEnd(isTime: Bool) throws(Failure) {
        guard isTime else {
            throw Failure(
                .timedOut, "the broker has been silent for too long; its log may tell: journalctl -u sensorbrokerd")
        }
        guard options.count == nil else {
            throw Failure(.timedOut, "\(remaining) of the readings did not come in time; see: sensorctl list")
        }
    }

    private mutating func show(_ parameters: Parameters, continues: Bool) throws(Failure) {
        let update = try understand { () throws(VarlinkError) in try Update(parameters) }
        let now = Clock.bootNanoseconds()
        if !hasBegun, !update.resources.isEmpty {
            hasBegun = true
            try terminal.print(try format.begin(update.resources))
        }
        try tell(update.events.compactMap { format.line(about: $0, atNanoseconds: now) })
        for reading in update.readings where remaining > 0 {
            let rows = format.rows(of: reading).prefix(remaining)
            remaining -= min(remaining, max(rows.count, reading.sampleCount))
            try terminal.print(Array(rows))
        }
        if !continues, remaining > 0 { throw Self.ended(update.ended) }
    }

    private func tell(_ lines: [String]) throws(Failure) {
        guard format.takesEventsAsNotes else { return try terminal.print(lines) }
        for line in lines { terminal.note(line) }
    }

    /// Why the broker ended a stream, and what to do.
    static func ended(_ reason: String?) -> Failure {
        switch reason {
        case "shutdown": Failure(.unavailable, "the broker shuts down; start it again, and then this")
        case "slowClient":
            Failure(.unavailable, "the broker gave this program up, since it took readings too slowly; see --interval")
        case "permissionDenied": Broker.mayNotRead
        case let reason?: Failure(.unavailable, "the broker ended the stream: \(reason.printable)")
        case nil: Failure(.unavailable, "the broker ended the stream without a reason")
        }
    }
}
