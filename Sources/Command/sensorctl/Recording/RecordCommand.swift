internal import BrokerClient
internal import Platform
internal import Programs
internal import Readings
internal import Varlink

/// `sensorctl record`: writes readings, gaps and states to a file that can be replayed.
///
/// Ctrl-C and SIGTERM end it after everything that the broker has sent is written. An existing recording is continued.
/// SIGHUP begins a new file, if there is a rotation and no terminal; otherwise it is the end of the terminal. With a
/// rotation it waits for a resource that is not there: a service that ended would be started again for ever, each time
/// with lines in the journal.
/// The time of `--for` starts at the broker's first answer.
struct RecordCommand {
    /// How long to read replies that were on their way at the end.
    private static let drainNanoseconds: Int64 = 1_000_000_000
    /// How long until a resource that is not there is asked for again.
    private static let absenceNanoseconds: Int64 = 5_000_000_000

    private let options: RecordOptions
    private let terminal: Terminal
    private var recorder = Recorder()
    /// Replies whose lines may be held back by a compressor, and the number of samples in them.
    private var held: [(update: Update, samples: Int)] = []
    private var hasTrouble = false
    /// Whether everything that was asked for is recorded, and why it is if that is not obvious.
    private var isComplete = false
    private var reason: String?
    private var requests: [Request] = []
    /// How far the wall clock is ahead, as the header has it.
    private var headerOffset: Int64 = 0
    /// The instant in the header of the latest file.
    private var begunNanoseconds: Int64?

    init(_ options: RecordOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        EarlyEnd.begin()
        defer { EarlyEnd.end() }
        let broker = broker.beginning(within: options.durationNanoseconds)
        requests = try options.requests.isEmpty ? Self.everything(broker) : options.requests
        var first: UpdateStream.Item?
        // The file is created only when there is something to write.
        var stream = try begin(&first, broker)
        let signals: Signals
        do { signals = try Signals() } catch { throw Failure(.unavailable, "\(error)") }
        let began = Clock.bootNanoseconds()
        var files = RecordingSeries(options.path, options.rotation)
        try files.begin(opening(of: recorder, began), now: began)
        begunNanoseconds = began
        var progress = RecordProgress(terminal, now: began)
        var failure: Failure?
        do throws(Failure) {
            if let first { try take(first, &files) }
            try follow(&stream, signals, &files, &progress)
        } catch { failure = error }
        let end = Result { () throws(Failure) in try files.finish() }
        lose(files)
        progress.finish(recorder, in: files.names, bytes: files.bytes, now: Clock.bootNanoseconds(), reason)
        if let failure { throw failure }
        try end.get()
        // What is missing at the end is reported in no file.
        if let trouble = files.trouble { throw trouble }
    }

    /// Asks for the stream, and gets the first answer; with a rotation, as soon as all resources are there.
    private func begin(_ first: inout UpdateStream.Item?, _ broker: Broker) throws(Failure) -> UpdateStream {
        var isWaiting = false
        while true {
            do throws(Failure) {
                var stream = try UpdateStream(requests, broker)
                first = try stream.begin()
                return stream
            } catch {
                guard options.rotation != nil, error.status == .unavailable, lacksResource(broker) else { throw error }
                if !isWaiting, let message = error.message { terminal.note("sensorctl: \(message). It is waited for") }
                isWaiting = true
                _ = Wait.untilReadable(-1, nanoseconds: Self.absenceNanoseconds)
            }
        }
    }

    private func lacksResource(_ broker: Broker) -> Bool {
        let known = Set(broker.knownResources.map(\.name))
        return !known.isEmpty && requests.contains { !known.contains($0.resource) }
    }

    /// The first lines of a session.
    private mutating func opening(of recorder: Recorder, _ now: Int64) -> [UInt8] {
        headerOffset = WallClockOffset.nanoseconds
        let header = Recorder.header(
            requests, bootNanoseconds: now, utcMicroseconds: now.addingSaturating(headerOffset) / 1_000,
            isSynchronized: Clock.followsReference, continuesNanoseconds: begunNanoseconds)
        return Self.bytes([header] + recorder.opening(atNanoseconds: now))
    }

    private static func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

    private static func everything(_ broker: Broker) throws(Failure) -> [Request] {
        let requests = try broker.resources().map { resource in
            var request = Request(resource: resource.name)
            request.intervalNanoseconds = 0
            return request
        }
        guard !requests.isEmpty else { throw Failure(.unavailable, "the broker has no resource; see: sensorctl list") }
        return requests
    }

    /// Writes updates until the recording is complete, its time is up or a signal comes.
    private mutating func follow(
        _ stream: inout UpdateStream, _ signals: borrowing Signals, _ files: inout RecordingSeries,
        _ progress: inout RecordProgress
    ) throws(Failure) {
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        while true {
            try takeArrived(&stream, &files)
            if isComplete { return }
            let now = Clock.bootNanoseconds()
            try files.keepUp(now: now)
            report(files)
            progress.show(recorder, bytes: files.bytes, now: now)
            guard now < end else {
                try drain(&stream, &files)
                if !isComplete, files.trouble == nil, let count = options.count {
                    throw .missing(count - recorder.readings)
                }
                return
            }
            let next = min(end, progress.next, files.deadline ?? .max)
            guard let request = try stream.wait(until: next, signals) else { continue }
            let isRenewed = request == .reload && !progress.isShown && (options.rotation != nil || options.reopens)
            if isRenewed { try begin(&files, recorder, now) }
            if request.isEnd, !isRenewed { return try drain(&stream, &files) }
        }
    }

    /// Writes what has already arrived.
    private mutating func drain(_ stream: inout UpdateStream, _ files: inout RecordingSeries) throws(Failure) {
        let end = BootClock.after(Self.drainNanoseconds)
        while !isComplete, BootClock.nanoseconds(until: end) > 0, try stream.receiveArrived() {
            try takeArrived(&stream, &files)
        }
    }

    private mutating func takeArrived(_ stream: inout UpdateStream, _ files: inout RecordingSeries) throws(Failure) {
        while !isComplete, let item = try stream.nextArrived() { try take(item, &files) }
    }

    private mutating func take(_ item: UpdateStream.Item, _ files: inout RecordingSeries) throws(Failure) {
        let most = options.count ?? .max
        try write(item.update, atMost: most, to: &files)
        guard !isComplete else { return }
        if !item.continues { throw .ended(item.update.ended) }
        isComplete = recorder.readings >= most
    }

    private mutating func write(_ update: Update, atMost most: Int, to files: inout RecordingSeries) throws(Failure) {
        let now = Clock.bootNanoseconds()
        // A further file begins with what holds before this reply.
        let before = recorder
        let lines = try understand { () throws(VarlinkError) in
            try recorder.lines(of: update, atNanoseconds: now, atMost: most)
        }
        var bytes = Self.bytes(lines)
        guard !bytes.isEmpty else { return }
        let isClockSet = abs(WallClockOffset.nanoseconds - headerOffset) > RecordingFormat.clockStepNanoseconds
        if isClockSet, options.rotation == nil { bytes = opening(of: before, now) + bytes }
        do throws(Failure) {
            if let most = options.maximumBytes, try !files.fits(adding: bytes.count, in: most, now: now) {
                recorder = before
                (isComplete, reason) = (true, "the file has reached its maximum size")
                return
            }
            let isDue = try files.needsFile(adding: bytes.count, now: now)
            report(files)
            if isDue || isClockSet && options.rotation != nil && files.trouble == nil { try begin(&files, before, now) }
        } catch {
            recorder = before
            throw error
        }
        held.append((update, recorder.readings - before.readings))
        try files.append(bytes, now: now)
        report(files)
    }

    /// Begins a further file, with what a recorder knows.
    private mutating func begin(_ files: inout RecordingSeries, _ recorder: Recorder, _ now: Int64) throws(Failure) {
        try files.begin(opening(of: recorder, now), now: now)
        report(files)
        if files.trouble == nil {
            self.recorder.didReport()
            begunNanoseconds = now
        }
    }

    /// Reports when the disk is full, and when there is room again; meanwhile readings are counted as missed.
    private mutating func report(_ files: borrowing RecordingSeries) {
        if files.isFlushed { held = [] }
        guard let trouble = files.trouble else {
            if hasTrouble { terminal.note("sensorctl: there is room again: the recording goes on in a new file") }
            hasTrouble = false
            return
        }
        if !hasTrouble, let message = trouble.message {
            terminal.note("sensorctl: \(message). Readings are lost until there is room")
        }
        hasTrouble = true
        lose(files)
    }

    /// Counts what is not in a file as missed.
    private mutating func lose(_ files: borrowing RecordingSeries) {
        if !files.isFlushed { for (update, samples) in held { recorder.miss(update, samples: samples) } }
        held = []
    }
}
