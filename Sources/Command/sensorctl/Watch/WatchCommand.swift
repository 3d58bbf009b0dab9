internal import BrokerClient
internal import Platform
internal import Printable
internal import Programs
internal import Varlink

/// `sensorctl watch`: shows readings as they arrive.
///
/// The time of `--for` starts at the broker's first answer. A renewed stream requests what was granted last, so that
/// changes made by `sensorctl set` stay in force.
struct WatchCommand {
    /// The broker sends something at least every 30 s, so it hangs if it is silent for this long.
    private static let longestSilenceNanoseconds = 90 * Nanoseconds.second

    private enum End: Error {
        /// The broker is gone, after a shutdown message (`wasAnnounced`) or without one.
        case lost(Failure, wasAnnounced: Bool)
        case failed(Failure)

        var failure: Failure {
            switch self {
            case .lost(let failure, _), .failed(let failure): failure
            }
        }

        /// Runs a function whose failure ends the watch for good.
        static func failing<Value>(_ body: () throws(Failure) -> Value) throws(End) -> Value {
            do throws(Failure) { return try body() } catch { throw .failed(error) }
        }
    }

    private let options: WatchOptions
    private let terminal: Terminal
    private var requests: [Request]
    private var format: any StreamFormat
    private var coverage = Coverage()
    private var remaining: Int
    private var hasBegun = false
    private var statistics: Statistics?

    /// What `--stats` shows, and when.
    private struct Statistics {
        static let pauseNanoseconds = Nanoseconds.second

        var counts = StreamStatistics()
        var text: StatisticsText
        var dueNanoseconds: Int64
    }

    init(_ options: WatchOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
        let clock = WallClock(isUTC: options.isUTC)
        format = options.stream(clock, terminal)
        if options.showsStatistics, case .plain(let plain) = options.format {
            statistics = Statistics(
                text: StatisticsText(
                    format: plain, clock: clock, style: Style(isOn: terminal.isColoured), width: terminal.width),
                dueNanoseconds: BootClock.after(Statistics.pauseNanoseconds))
        }
        requests = options.requests
        remaining = options.count ?? .max
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        var connection = try begin(broker.beginning(within: options.durationNanoseconds))
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        while true {
            do throws(End) { try follow(&connection, until: end, broker) } catch {
                guard let next = try resume(after: error, connection.path, until: end, broker) else {
                    return try checkEnd(isTime: true, broker)
                }
                connection = next
                continue
            }
            return try showStatistics(isEnd: true)
        }
    }

    /// Asks for the stream, and takes the first answer.
    private mutating func begin(_ broker: Broker) throws(Failure) -> BrokerConnection {
        var connection = try broker.connect()
        try connection.ask(
            Call(Interface.subscribe, parameters: ["requests": .array(requests.map { $0.json })], mode: .more))
        guard let first = try connection.answer(until: BootClock.after(broker.timeoutNanoseconds)) else {
            throw broker.mute(connection.path)
        }
        do throws(End) { try take(first, broker) } catch { throw error.failure }
        return connection
    }

    /// Shows what arrives until the watch is complete, its time is up or the stream ends.
    private mutating func follow(
        _ connection: inout BrokerConnection, until end: Int64, _ broker: Broker
    ) throws(End) {
        var silence = BootClock.after(Self.longestSilenceNanoseconds)
        while remaining > 0 {
            // If readings come faster than they are written, the next one is always there.
            guard BootClock.nanoseconds(until: end) > 0 else {
                return try End.failing { () throws(Failure) in try checkEnd(isTime: true, broker) }
            }
            try End.failing { () throws(Failure) in try showStatistics() }
            let reply: Reply?
            let wait = min(end, silence, statistics?.dueNanoseconds ?? .max)
            do throws(ConnectionFault) { reply = try connection.reply(until: wait) } catch .closed {
                throw .lost(Failure(.closed), wasAnnounced: false)
            } catch { throw .failed(Failure(error)) }
            guard let reply else {
                // Only the next statistics were due.
                if BootClock.nanoseconds(until: min(end, silence)) > 0 { continue }
                return try End.failing { () throws(Failure) in try checkEnd(isTime: end <= silence, broker) }
            }
            silence = BootClock.after(Self.longestSilenceNanoseconds)
            try take(reply, broker)
        }
    }

    /// Renews a lost stream; nil if the time is up first.
    private mutating func resume(
        after loss: End, _ path: String?, until end: Int64, _ broker: Broker
    ) throws(Failure) -> BrokerConnection? {
        guard case .lost(_, let wasAnnounced) = loss,
            let patience = options.reconnecting.patience(
                afterShutdown: wasAnnounced, isService: Reconnecting.isService(path))
        else { throw loss.failure }
        terminal.note("sensorctl: the broker went away; waiting for it to come back")
        coverage.interrupt()
        let giveUp = BootClock.after(patience)
        var backoff = Reconnecting.backoff
        while true {
            let pause = min(backoff.next(), BootClock.nanoseconds(until: end))
            guard pause > 0 else { return nil }
            _ = Wait.untilReadable(-1, nanoseconds: pause)
            do throws(Failure) {
                let connection = try begin(broker.beginning(within: BootClock.nanoseconds(until: end)))
                terminal.note("sensorctl: the broker is back")
                return connection
            } catch  where [.unavailable, .timedOut].contains(error.status) && BootClock.nanoseconds(until: giveUp) > 0
            {}
        }
    }

    /// Checks the end of a watch: the time has elapsed, which is a failure if readings were counted, or the broker is stuck.
    private func checkEnd(isTime: Bool, _ broker: Broker) throws(Failure) {
        guard isTime else { throw broker.silent }
        guard options.count == nil else {
            throw Failure(.timedOut, "\(remaining) of the readings did not arrive in time; see: sensorctl list")
        }
    }

    private mutating func take(_ reply: Reply, _ broker: Broker) throws(End) {
        switch reply {
        case .failure(let error): throw .failed(broker.failure(for: error))
        case .success(let parameters, let continues):
            let update = try End.failing { () throws(Failure) in
                try understand { () throws(VarlinkError) in try Update(parameters) }
            }
            try End.failing { () throws(Failure) in try show(update) }
            if !continues, remaining > 0 {
                let failure = Self.ended(update.ended)
                // After any other end, a new stream would end for the same reason.
                throw update.ended == "shutdown" ? .lost(failure, wasAnnounced: true) : .failed(failure)
            }
        }
    }

    private mutating func show(_ update: Update) throws(Failure) {
        let now = Clock.bootNanoseconds()
        if !hasBegun, !update.resources.isEmpty {
            hasBegun = true
            if statistics == nil { try terminal.print(try format.begin(update.resources)) }
        }
        for grant in update.grants { note(grant) }
        try show(update.events, now)
        for gap in update.gaps {
            coverage.take(gap)
            statistics?.counts.take(gap)
        }
        for whole in update.readings where remaining > 0 {
            let reading = try understand { () throws(VarlinkError) in try whole.prefix(remaining) }
            let gap = try understand { () throws(VarlinkError) in try coverage.gap(before: reading) }
            if let gap {
                statistics?.counts.take(gap)
                try show([.gap(gap)], now)
            }
            guard statistics == nil else {
                statistics?.counts.take(reading, nowNanoseconds: now)
                remaining -= reading.sampleCount
                continue
            }
            remaining -= reading.sampleCount
            try terminal.print(format.heading(for: reading) + format.rows(of: reading))
        }
        if let end = update.end { try show([end], now) }
    }

    /// Remembers a grant, which a renewed stream asks for again.
    private mutating func note(_ grant: Grant) {
        coverage.take(grant)
        statistics?.counts.expect(grant.resource)
        let index = requests.firstIndex { $0.resource == grant.resource }
        var request = index.map { requests[$0] } ?? Request(resource: grant.resource)
        request.intervalNanoseconds = grant.intervalNanoseconds
        request.batchNanoseconds = grant.batchNanoseconds
        if let index { requests[index] = request } else { requests.append(request) }
    }

    /// Shows the statistics if they are due, or at the end those of what has come since.
    private mutating func showStatistics(isEnd: Bool = false) throws(Failure) {
        let now = Clock.bootNanoseconds()
        guard let due = statistics?.dueNanoseconds, isEnd || now >= due else { return }
        let lines = statistics?.counts.lines() ?? []
        statistics?.dueNanoseconds = max(due + Statistics.pauseNanoseconds, now)
        guard !isEnd || lines.contains(where: { $0.readings > 0 || $0.lost > 0 }) else { return }
        try terminal.print(statistics?.text.lines(lines, atNanoseconds: now) ?? [])
    }

    private mutating func show(_ events: [StreamEvent], _ now: Int64) throws(Failure) {
        let lines = events.compactMap { format.line(about: $0, atNanoseconds: now) }
        guard !options.isQuiet else { return }
        guard format.takesEventsAsNotes else { return try terminal.print(lines) }
        for line in lines { terminal.note(line) }
    }

    /// Why the broker ended a stream, and what to do.
    static func ended(_ reason: String?) -> Failure {
        switch reason {
        case "shutdown": Failure(.unavailable, "the broker is shutting down; start it again, then repeat this command")
        case "slowClient":
            Failure(
                .unavailable,
                "the broker ended the stream, because this program read too slowly; ask for fewer readings with --interval"
            )
        case "permissionDenied": Broker.mayNotRead
        case let reason?: Failure(.unavailable, "the broker ended the stream: \(reason.printable)")
        case nil: Failure(.unavailable, "the broker ended the stream without a reason")
        }
    }
}
