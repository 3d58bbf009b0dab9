internal import BrokerClient
internal import Formats
internal import Glibc
internal import Platform
internal import Programs
internal import Readings

/// `sensorctl watch --format mcap`: a stream as an MCAP file on the standard output.
///
/// Once a second everything so far is readable. Ctrl-C, SIGTERM and SIGHUP end it with the file's summary, as do `--count` and `--for`.
struct MCAPWatch {
    private static let flushNanoseconds: Int64 = 1_000_000_000

    private let options: WatchOptions
    private let terminal: Terminal
    private let clock = WallClock(isUTC: true)
    private var recording = ROSRecording.compressed
    private var kinds: [String: Kind] = [:]
    private var remaining: Int

    init(_ options: WatchOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
        remaining = options.count ?? .max
    }

    /// Writes until a signal, the end of the stream, of the count or of the time.
    mutating func run(_ broker: Broker) throws(Failure) {
        guard isatty(terminal.output) == 0 else {
            throw Failure(.usage, "mcap is not for a terminal: append > FILE.mcap, or use --format text")
        }
        var stream = try UpdateStream(options.requests, broker.beginning(within: options.durationNanoseconds))
        // A broker that refuses leaves no file.
        let first = try stream.begin()
        let signals: Signals
        do { signals = try Signals() } catch { throw Failure(.unavailable, "\(error)") }
        var failure: Failure?
        do throws(Failure) {
            try take(first)
            let isTime = try follow(
                &stream, signals, until: options.durationNanoseconds.map { BootClock.after($0) } ?? .max)
            if isTime, options.count != nil { failure = .missing(remaining) }
        } catch {
            // What has arrived is a whole file, whatever ended the stream; but not for a reader that has gone away.
            guard error != .outputClosed else { throw error }
            failure = error
        }
        recording.finish()
        try terminal.write(recording.take())
        if let failure { throw failure }
    }

    /// Returns whether the time is up.
    private mutating func follow(
        _ stream: inout UpdateStream, _ signals: borrowing Signals, until end: Int64
    ) throws(Failure) -> Bool {
        var flush = BootClock.after(Self.flushNanoseconds)
        while remaining > 0 {
            while remaining > 0, let item = try stream.nextArrived() { try take(item) }
            let now = Clock.bootNanoseconds()
            if now >= flush {
                recording.flush()
                flush = BootClock.after(Self.flushNanoseconds)
            }
            try terminal.write(recording.take())
            guard now < end else { return true }
            if try stream.wait(until: min(end, flush), signals)?.isEnd == true { return false }
        }
        return false
    }

    private mutating func take(_ item: UpdateStream.Item) throws(Failure) {
        take(item.update)
        if !item.continues, remaining > 0 { throw .ended(item.update.ended) }
    }

    private mutating func take(_ update: Update) {
        for resource in update.resources {
            guard let name = ResourceName(resource.name) else { continue }
            kinds[resource.name] = Kind(wire: resource.kind)
            recording.add(
                state: resource.state, reason: resource.reason, of: name,
                atNanoseconds: clock.utcNanoseconds(Clock.bootNanoseconds()))
        }
        for gap in update.gaps {
            guard let name = ResourceName(gap.resource) else { continue }
            recording.add(
                gap: gap.cause, missing: gap.count.map { Int(clamping: $0) },
                fromNanoseconds: clock.utcNanoseconds(gap.fromNanoseconds),
                untilNanoseconds: clock.utcNanoseconds(gap.untilNanoseconds), of: name)
        }
        for reading in update.readings where remaining > 0 { take(reading) }
    }

    private mutating func take(_ reading: Reading) {
        guard let name = ResourceName(reading.resource) else { return }
        func add(_ measurement: Measurement, _ instant: Int64) {
            recording.add(measurement, of: name, atNanoseconds: clock.utcNanoseconds(instant))
        }
        switch reading.content {
        case .location(let location, _): add(.location(location), reading.timestampNanoseconds)
        case .values(let columns):
            guard let kind = kinds[reading.resource] ?? Kind(resource: name.word), let rows = columns.values(of: kind)
            else {
                return
            }
            for (values, instant) in zip(rows, columns.timestampsNanoseconds).prefix(remaining) {
                add(.values(values), instant)
            }
        case .orientation(let text):
            guard let orientation = Orientation(rawValue: text) else { return }
            add(.orientation(orientation), reading.timestampNanoseconds)
        case .unknown: return
        }
        remaining -= min(remaining, reading.sampleCount)
    }
}
