internal import BrokerClient
internal import Platform
internal import Varlink

/// `sensorctl record`: writes readings, gaps and states to a file that can be replayed.
///
/// Ctrl-C and SIGTERM end it after everything that the broker has sent is written. An existing recording is continued.
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

    init(_ options: RecordOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
    }

    mutating func run(_ broker: Broker) throws(Failure) {
        let outlivesTerminal = EarlyEnd.outlivesTerminal
        EarlyEnd.begin()
        defer { EarlyEnd.end() }
        let broker = broker.beginning(within: options.durationNanoseconds)
        let requests = try options.requests.isEmpty ? Self.everything(broker) : options.requests
        let began = Clock.bootNanoseconds()
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
        var file = try RecordingFile(options.path)
        let header = Recorder.header(
            requests, bootNanoseconds: began, utcMicroseconds: Clock.realtimeNanoseconds() / 1_000)
        var progress = RecordProgress(terminal, options.path, now: began)
        do throws(End) {
            try write([header], to: &file)
            try take(first, broker, &file)
            try follow(&connection, signals, outlivesTerminal: outlivesTerminal, broker, &file, &progress)
        } catch {
            file.sync()
            let now = Clock.bootNanoseconds()
            switch error {
            case .finished(let reason): progress.finish(recorder, bytes: file.bytes, now: now, reason)
            case .failed(let failure):
                progress.finish(recorder, bytes: file.bytes, now: now, nil)
                throw failure
            }
        }
    }

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
        _ file: inout RecordingFile, _ progress: inout RecordProgress
    ) throws(End) {
        let end = options.durationNanoseconds.map { BootClock.after($0) } ?? .max
        var silence = BootClock.after(Self.longestSilenceNanoseconds)
        while true {
            while let reply = try next(&connection) {
                try take(reply, broker, &file)
                silence = BootClock.after(Self.longestSilenceNanoseconds)
            }
            let now = Clock.bootNanoseconds()
            progress.show(recorder, bytes: file.bytes, now: now)
            guard now < end else { try finish(&connection, broker, &file, checkCount()) }
            guard now < silence else { throw .failed(broker.silent) }
            let wait = min(end, silence, progress.next) - now
            let ready = Wait.untilReadable(connection.number, signals.number, nanoseconds: wait)
            if ready.second, let request = signals.take(), request == .stop || (request == .reload && !outlivesTerminal)
            {
                try finish(&connection, broker, &file, nil)
            }
            if ready.first { try receive(&connection) }
        }
    }

    /// Writes what has already arrived, and ends.
    private mutating func finish(
        _ connection: inout BrokerConnection, _ broker: Broker, _ file: inout RecordingFile, _ failure: Failure?
    ) throws(End) -> Never {
        let end = BootClock.after(Self.drainNanoseconds)
        while BootClock.nanoseconds(until: end) > 0, Wait.untilReadable(connection.number, nanoseconds: 0).first {
            try receive(&connection)
            while let reply = try next(&connection) { try take(reply, broker, &file) }
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

    private mutating func take(_ reply: Reply, _ broker: Broker, _ file: inout RecordingFile) throws(End) {
        switch reply {
        case .failure(let error): throw .failed(broker.failure(for: error))
        case .success(let parameters, let continues):
            let update: Update
            do throws(Failure) {
                update = try understand { () throws(VarlinkError) in try Update(parameters) }
            } catch { throw .failed(error) }
            let most = options.count ?? .max
            try write(recorder.lines(of: update, atNanoseconds: Clock.bootNanoseconds(), atMost: most), to: &file)
            if !continues { throw .failed(WatchCommand.ended(update.ended)) }
            if recorder.readings >= most { throw .finished(nil) }
        }
    }

    private func write(_ lines: [String], to file: inout RecordingFile) throws(End) {
        guard !lines.isEmpty else { return }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        if let most = options.maximumBytes, file.bytes + Int64(bytes.count) > most {
            throw .finished("the file has reached its maximum size")
        }
        do throws(Failure) { try file.append(bytes) } catch { throw .failed(error) }
    }

    private func next(_ connection: inout BrokerConnection) throws(End) -> Reply? {
        do throws(ConnectionFault) { return try connection.nextReply() } catch { throw .failed(Failure(error)) }
    }

    private func receive(_ connection: inout BrokerConnection) throws(End) {
        do throws(ConnectionFault) { try connection.receive() } catch { throw .failed(Failure(error)) }
    }
}
