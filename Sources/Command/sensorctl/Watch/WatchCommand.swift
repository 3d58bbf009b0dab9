internal import BrokerClient
internal import Platform
internal import Programs
internal import Varlink

/// `sensorctl watch`: shows readings as they arrive.
///
/// The time of `--for` starts at the broker's first answer. A renewed stream requests what was granted last, so that
/// changes made by `sensorctl set` stay in force.
struct WatchCommand {
    private let options: WatchOptions
    private let terminal: Terminal
    private var requests: [Request]
    private var format: any StreamFormat
    /// What writes events if the format does not.
    private var notes: TextFormat
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
        notes = TextFormat(
            clock: clock, style: Style(isOn: false),
            news: News(isVerbose: options.isVerbose, asked: options.requests))
        if options.showsStatistics, let format = OutputFormat(rawValue: options.format.rawValue) {
            statistics = Statistics(
                text: StatisticsText(
                    format: format, clock: clock, style: terminal.style, width: terminal.width),
                dueNanoseconds: BootClock.after(Statistics.pauseNanoseconds))
        }
        requests = options.requests
        remaining = options.count ?? .max
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        var stream = try begin(broker.beginning(within: options.durationNanoseconds))
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        while true {
            do throws(Failure) { try follow(&stream, until: end) } catch {
                guard let next = try resume(after: error, stream.path, until: end, broker) else {
                    return try checkCount()
                }
                stream = next
                continue
            }
            return try showStatistics(isEnd: true)
        }
    }

    /// Asks for the stream, and takes the first answer.
    private mutating func begin(_ broker: Broker) throws(Failure) -> UpdateStream {
        var stream = try UpdateStream(requests, broker)
        try take(try stream.begin())
        return stream
    }

    /// Shows what arrives until the watch is complete, its time is up or the stream ends.
    private mutating func follow(
        _ stream: inout UpdateStream, until end: Int64
    ) throws(Failure) {
        while remaining > 0 {
            // If readings come faster than they are written, the next one is always there.
            guard BootClock.nanoseconds(until: end) > 0 else { return try checkCount() }
            try showStatistics()
            if let item = try stream.next(until: min(end, statistics?.dueNanoseconds ?? .max)) { try take(item) }
        }
    }

    /// Renews a stream whose broker has gone; nil if the time is up first.
    ///
    /// After any other failure, a new stream would end for the same reason.
    private mutating func resume(
        after failure: Failure, _ path: String?, until end: Int64, _ broker: Broker
    ) throws(Failure) -> UpdateStream? {
        guard [.brokerGone, .brokerShutdown].contains(failure),
            let patience = options.reconnecting.patience(
                afterShutdown: failure == .brokerShutdown, isService: Reconnecting.isService(path))
        else { throw failure }
        terminal.note("sensorctl: the broker went away; waiting for it to come back")
        coverage.interrupt()
        let giveUp = BootClock.after(patience)
        var backoff = Reconnecting.backoff
        while true {
            let pause = min(backoff.next(), BootClock.nanoseconds(until: end))
            guard pause > 0 else { return nil }
            _ = Wait.untilReadable(-1, nanoseconds: pause)
            do throws(Failure) {
                let stream = try begin(broker.beginning(within: BootClock.nanoseconds(until: end)))
                terminal.note("sensorctl: the broker is back")
                return stream
            } catch  where [.unavailable, .timedOut].contains(error.status) && BootClock.nanoseconds(until: giveUp) > 0
            {}
        }
    }

    /// The time has elapsed, which is a failure if readings were counted.
    private func checkCount() throws(Failure) {
        if options.count != nil { throw .missing(remaining) }
    }

    private mutating func take(_ item: UpdateStream.Item) throws(Failure) {
        try show(item.update)
        if !item.continues, remaining > 0 { throw .ended(item.update.ended) }
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
        for whole in update.readings where remaining > 0 && !coverage.isKnown(whole) {
            let reading = try understand { () throws(VarlinkError) in try whole.prefix(remaining) }
            if let gap = coverage.gap(before: reading) {
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
        guard !options.isQuiet else { return }
        guard !format.showsEvents else {
            return try terminal.print(events.compactMap { format.line(about: $0, atNanoseconds: now) })
        }
        for line in events.compactMap({ notes.line(about: $0, atNanoseconds: now) }) { terminal.note(line) }
    }
}
