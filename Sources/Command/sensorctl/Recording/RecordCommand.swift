internal import BrokerClient
internal import Platform
internal import Programs
internal import Readings
internal import Varlink

/// `sensorctl record`: writes readings, gaps and states to a file that can be replayed.
///
/// Ctrl-C and SIGTERM end it after everything that the broker has sent is written. An existing recording is continued.
/// SIGHUP begins a new file, if there is a rotation and no terminal; otherwise it is the end of the terminal.
/// The time of `--for` starts at the broker's first answer.
struct RecordCommand {
    private static let longestSilenceNanoseconds: Int64 = 90_000_000_000
    /// How long to read replies that were on their way at the end.
    private static let drainNanoseconds: Int64 = 1_000_000_000

    private enum End: Error {
        case finished(String?)
        case failed(Failure)
    }

    private let options: RecordOptions
    private let terminal: Terminal
    private var recorder = Recorder()
    /// Replies whose lines may be held back by a compressor, and the number of samples in them.
    private var held: [(update: Update, samples: Int)] = []
    private var hasTrouble = false
    private var requests: [Request] = []
    /// How far the wall clock is ahead, as the header says.
    private var toldOffset: Int64 = 0

    /// A clock that is set by more than this begins a session.
    private static let stepNanoseconds: Int64 = 100_000_000

    init(_ options: RecordOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        let outlivesTerminal = Signals.outlivesTerminal
        EarlyEnd.begin()
        defer { EarlyEnd.end() }
        let broker = broker.beginning(within: options.durationNanoseconds)
        requests = try options.requests.isEmpty ? Self.everything(broker) : options.requests
        var connection = try broker.connect()
        try connection.ask(
            Call(Interface.subscribe, parameters: ["requests": .array(requests.map { $0.json })], mode: .more))
        // The file is created only when there is something to write.
        guard let first = try connection.answer(until: BootClock.after(broker.timeoutNanoseconds)) else {
            throw broker.mute(connection.path)
        }
        if case .failure(let error) = first { throw broker.failure(for: error) }
        let signals: Signals
        do { signals = try Signals() } catch { throw Failure(.unavailable, "\(error)") }
        let began = Clock.bootNanoseconds()
        var files = RecordingSeries(options.path, options.rotation)
        try files.begin(opening(of: recorder, began), now: began)
        var progress = RecordProgress(terminal, now: began)
        do throws(End) {
            try take(first, broker, &files)
            try follow(&connection, signals, outlivesTerminal: outlivesTerminal, broker, &files, &progress)
        } catch {
            let end = Result { () throws(Failure) in try files.finish() }
            lose(files)
            let now = Clock.bootNanoseconds()
            switch error {
            case .finished(let reason):
                progress.finish(recorder, in: files.names, bytes: files.bytes, now: now, reason)
                try end.get()
                // What is missing at the end is told in no file.
                if let trouble = files.trouble { throw trouble }
            case .failed(let failure):
                progress.finish(recorder, in: files.names, bytes: files.bytes, now: now, nil)
                throw failure
            }
        }
    }

    /// The first lines of a session.
    private mutating func opening(of recorder: Recorder, _ now: Int64) -> [UInt8] {
        toldOffset = WallClockOffset.nanoseconds
        let header = Recorder.header(
            requests, bootNanoseconds: now, utcMicroseconds: now.addingSaturating(toldOffset) / 1_000)
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

    /// Writes replies until something ends the recording, which is thrown.
    private mutating func follow(
        _ connection: inout BrokerConnection, _ signals: borrowing Signals, outlivesTerminal: Bool, _ broker: Broker,
        _ files: inout RecordingSeries, _ progress: inout RecordProgress
    ) throws(End) {
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        var silence = BootClock.after(Self.longestSilenceNanoseconds)
        while true {
            while let reply = try next(&connection) {
                try take(reply, broker, &files)
                silence = BootClock.after(Self.longestSilenceNanoseconds)
            }
            let now = Clock.bootNanoseconds()
            try keepUp(&files, now)
            progress.show(recorder, bytes: files.bytes, now: now)
            guard now < end else { try finish(&connection, broker, &files, files.trouble == nil ? checkCount() : nil) }
            guard now < silence else { throw .failed(broker.silent) }
            let wait = min(end, silence, progress.next, files.deadline ?? .max) - now
            let ready = Wait.untilReadable(connection.number, signals.number, nanoseconds: wait)
            if ready.second, let request = signals.take() {
                let isRenewed =
                    request == .reload && !progress.isShown && (options.rotation != nil || options.reopens)
                if isRenewed { try begin(&files, recorder, now) }
                if request == .stop || request == .reload && !isRenewed && !outlivesTerminal {
                    try finish(&connection, broker, &files, nil)
                }
            }
            if ready.first { try receive(&connection) }
        }
    }

    /// Writes what has already arrived, and ends.
    private mutating func finish(
        _ connection: inout BrokerConnection, _ broker: Broker, _ files: inout RecordingSeries, _ failure: Failure?
    ) throws(End) -> Never {
        let end = BootClock.after(Self.drainNanoseconds)
        while BootClock.nanoseconds(until: end) > 0, Wait.untilReadable(connection.number, nanoseconds: 0).first {
            try receive(&connection)
            while let reply = try next(&connection) { try take(reply, broker, &files) }
        }
        if let failure { throw .failed(failure) }
        throw .finished(nil)
    }

    private func checkCount() -> Failure? {
        options.count.map { count in
            Failure(
                .timedOut, "\(count - recorder.readings) of the readings did not arrive in time; see: sensorctl list")
        }
    }

    private mutating func take(_ reply: Reply, _ broker: Broker, _ files: inout RecordingSeries) throws(End) {
        switch reply {
        case .failure(let error): throw .failed(broker.failure(for: error))
        case .success(let parameters, let continues):
            let update: Update
            do throws(Failure) {
                update = try understand { () throws(VarlinkError) in try Update(parameters) }
            } catch { throw .failed(error) }
            let most = options.count ?? .max
            try write(update, atMost: most, to: &files)
            if !continues { throw .failed(WatchCommand.ended(update.ended)) }
            if recorder.readings >= most { throw .finished(nil) }
        }
    }

    private mutating func write(_ update: Update, atMost most: Int, to files: inout RecordingSeries) throws(End) {
        let now = Clock.bootNanoseconds()
        // A further file begins with what holds before this reply.
        let before = recorder
        let lines: [String]
        do throws(Failure) {
            lines = try understand { () throws(VarlinkError) in
                try recorder.lines(of: update, atNanoseconds: now, atMost: most)
            }
        } catch { throw .failed(error) }
        var bytes = Self.bytes(lines)
        guard !bytes.isEmpty else { return }
        let isClockSet = abs(WallClockOffset.nanoseconds - toldOffset) > Self.stepNanoseconds
        if isClockSet, options.rotation == nil { bytes = opening(of: before, now) + bytes }
        if let most = options.maximumBytes, files.mostBytes + Int64(bytes.count) > most {
            recorder = before
            throw .finished("the file has reached its maximum size")
        }
        if files.needsFile(adding: bytes.count, now: now) || isClockSet && options.rotation != nil {
            do throws(End) { try begin(&files, before, now) } catch {
                recorder = before
                throw error
            }
        }
        held.append((update, recorder.readings - before.readings))
        do throws(Failure) { try files.append(bytes, now: now) } catch { throw .failed(error) }
        tell(files)
    }

    /// Begins a further file, with what a recorder knows.
    private mutating func begin(_ files: inout RecordingSeries, _ recorder: Recorder, _ now: Int64) throws(End) {
        do throws(Failure) { try files.begin(opening(of: recorder, now), now: now) } catch { throw .failed(error) }
        tell(files)
        if files.trouble == nil { self.recorder.didTell() }
    }

    private mutating func keepUp(_ files: inout RecordingSeries, _ now: Int64) throws(End) {
        do throws(Failure) { try files.keepUp(now: now) } catch { throw .failed(error) }
        tell(files)
    }

    /// Reports when the disk is full, and when there is room again; meanwhile readings are counted as missed.
    private mutating func tell(_ files: borrowing RecordingSeries) {
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

    private func next(_ connection: inout BrokerConnection) throws(End) -> Reply? {
        do throws(ConnectionFault) { return try connection.nextReply() } catch { throw .failed(Failure(error)) }
    }

    private func receive(_ connection: inout BrokerConnection) throws(End) {
        do throws(ConnectionFault) { try connection.receive() } catch { throw .failed(Failure(error)) }
    }
}
