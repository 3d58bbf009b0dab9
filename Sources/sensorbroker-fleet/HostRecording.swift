internal import Fleet
internal import MQTT
internal import Platform
internal import Replay
internal import Spool
internal import Varlink

/// The recording of a host: what came in order, and beside it what came too late for its place.
///
/// Each file is a recording like any other. A session begins with a boot of the host, and with each step of its clock.
struct HostRecording {
    /// A message as lines.
    private struct Piece {
        let epoch: Identity
        let resource: String
        let lines: [UInt8]
        let firstLine: Range<Int>
        let names: [ReadingName]
        let clock: ClockReading?
        /// CLOCK_BOOTTIME of what was measured first and last.
        let first: Int64?
        let last: Int64?
    }

    /// What tells readings of a resource apart.
    private struct ReadingName: Equatable {
        let sequence: Int64?
        let stamp: Int64?
    }

    /// The newest number of a stream in a file.
    struct Mark: Equatable {
        let resource: String
        let epoch: Identity
        let number: UInt64
    }

    private let host: String
    private let main: RecordingPath
    private let late: RecordingPath
    private var sequencer: Sequencer<Piece>
    private var clocks = HostClocks()
    private var session: ClockReading?
    private var lateSession: ClockReading?
    private var lateNumbers: [String: Mark] = [:]
    private var lastStamps: [String: Int64] = [:]
    private var lastReadings: [String: (epoch: Identity, name: ReadingName)] = [:]
    /// A hole waits for what is measured after it.
    private var holes: [String: (mark: Mark, numbers: ClosedRange<UInt64>)] = [:]
    /// How many messages were written.
    private(set) var messages = 0

    init(_ host: String, path: String, patienceNanoseconds: Int64) {
        self.host = host
        main = RecordingPath(path + ".ndjson")
        late = RecordingPath(path + ".late.ndjson")
        sequencer = Sequencer(patienceNanoseconds: patienceNanoseconds)
    }

    /// Whether messages wait for those before them.
    var isWaiting: Bool { sequencer.isWaiting }

    /// Goes on where an earlier recording ended: what it has.
    mutating func resume() throws(StartFailure) -> [Mark] {
        try late.check()
        var marks: [String: Mark] = [:]
        for line in try main.tail() {
            guard case .object(let object)? = try? JSONReader.read(line, limits: .replies),
                case .object(let mark)? = object["message"], case .string(let resource)? = mark["resource"],
                case .string(let text)? = mark["epoch"], let epoch = Identity(text: text),
                case .integer(let number)? = mark["number"], number > 0
            else { continue }
            marks[resource] = Mark(resource: resource, epoch: epoch, number: UInt64(number))
        }
        for mark in marks.values { sequencer.resume(mark.resource, mark.epoch, after: mark.number) }
        return Array(marks.values)
    }

    /// The host told both clocks.
    mutating func take(_ clock: ClockReading, of epoch: Identity) { clocks.take(clock, of: epoch) }

    /// Takes a message that is new.
    mutating func take(
        _ message: FleetMessage, of resource: String, first: @autoclosure () -> UInt64?, _ now: Int64
    ) throws(StartFailure) {
        if let clock = message.clock { clocks.take(clock, of: message.epoch) }
        let names = message.objects("readings").filter { $0["sequence"] != nil }.map {
            ReadingName(sequence: $0.integer("sequence"), stamp: $0.integer("timestampNanoseconds"))
        }
        let lines = RecordedLines.lines(of: message, resource)
        let piece = Piece(
            epoch: message.epoch, resource: resource, lines: lines.bytes, firstLine: lines.first,
            names: [names.first, names.last].compactMap { $0 }, clock: message.clock, first: names.first?.stamp,
            last: names.last?.stamp)
        try write(
            sequencer.take(piece, message, of: resource, bytes: piece.lines.count, first: first(), now))
    }

    /// Writes what has waited long enough.
    mutating func turn(
        _ now: Int64, mostBytes: Int, firstUnknown: (String, Identity, UInt64) -> UInt64
    ) throws(StartFailure) {
        try write(sequencer.turn(now, mostBytes: mostBytes, firstUnknown: firstUnknown))
    }

    /// Writes everything, and waits until it is on the disk.
    mutating func finish() throws(StartFailure) {
        try write(sequencer.finish())
        main.sync()
        late.sync()
    }

    private mutating func write(_ outputs: [Sequencer<Piece>.Output]) throws(StartFailure) {
        var lines: [UInt8] = []
        var lateLines: [UInt8] = []
        for output in outputs {
            switch output {
            case .next(let piece):
                lines += opening(of: piece, &session) + gap(before: piece) + withoutRepetition(piece)
                lastStamps[piece.resource] = piece.last ?? lastStamps[piece.resource]
                messages += 1
            case .hole(let resource, let epoch, let numbers):
                holes[resource] = (Mark(resource: resource, epoch: epoch, number: numbers.upperBound), numbers)
            case .late(let piece, let epoch, let number, let resource):
                // What goes back begins a session of its own, since in each a resource only goes forward.
                if let former = lateNumbers[resource], former.epoch != epoch || former.number > number {
                    lateSession = nil
                    lateNumbers = [:]
                }
                lateNumbers[resource] = Mark(resource: resource, epoch: epoch, number: number)
                lateLines += opening(of: piece, &lateSession) + piece.lines
                messages += 1
            }
        }
        try main.append(lines)
        try late.append(lateLines)
    }

    /// The lines of a message, without a reading that was the last one of the epoch before.
    private mutating func withoutRepetition(_ piece: Piece) -> [UInt8] {
        guard let first = piece.names.first, let last = piece.names.last else { return piece.lines }
        defer { lastReadings[piece.resource] = (piece.epoch, last) }
        guard let before = lastReadings[piece.resource], before.epoch != piece.epoch, before.name == first else {
            return piece.lines
        }
        var lines = piece.lines
        lines.removeSubrange(piece.firstLine)
        return lines
    }

    /// The header of a session, where one begins.
    private func opening(of piece: Piece, _ session: inout ClockReading?) -> [UInt8] {
        let known = piece.clock ?? clocks.relation(at: piece.first ?? .max, in: piece.epoch)
        if let known, let session, known.continues(session) { return [] }
        if known == nil, session != nil { return [] }
        let boot = piece.first ?? 0
        // Nobody told yet: now is nearly right for what comes at its time, and said to be a guess.
        let guess = Moment(bootNanoseconds: boot, utcMicroseconds: Clock.realtimeNanoseconds() / 1_000)
        if let known { session = known }
        return RecordedLines.header(host, known, guess)
    }

    /// What did not come, between what was measured before and after it.
    private mutating func gap(before piece: Piece) -> [UInt8] {
        guard let hole = holes[piece.resource], let until = piece.first else { return [] }
        holes[piece.resource] = nil
        let from = lastStamps[piece.resource] ?? until
        return RecordedLines.gap(piece.resource, hole.mark.epoch, hole.numbers, from: min(from, until), until: until)
    }
}

extension JSONObject {
    /// The integer under a key.
    func integer(_ key: String) -> Int64? {
        if case .integer(let number)? = self[key] { number } else { nil }
    }
}
