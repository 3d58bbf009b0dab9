internal import Fleet
internal import Programs
internal import Spool
internal import Varlink

/// The recording of a host: what came in order, and beside it what came too late for its place.
///
/// Each file is a recording like any other.
struct HostRecording {
    /// A message as lines.
    private struct Piece {
        let mark: LastMessages.Mark
        let lines: [UInt8]
        let firstLine: Range<Int>
        let names: [ReadingName]
        let clock: ClockReading?
        let formerGap: FormerGap?
        /// CLOCK_BOOTTIME of what was measured first.
        let first: Int64?
        /// What did not come before it.
        var holes: [Hole] = []

        var epoch: Identity { mark.epoch }
        var resource: String { mark.resource }

        /// The instant that decides to which session it belongs.
        var instant: Int64? { first ?? clock?.moment.bootNanoseconds }
    }

    /// What distinguishes readings of a resource.
    private struct ReadingName: Equatable {
        let sequence: Int64?
        let stamp: Int64?
    }

    /// Numbers that did not come.
    private struct Hole {
        let epoch: Identity
        let numbers: ClosedRange<UInt64>
    }

    private let host: String
    private let main: RecordingPath
    private let late: RecordingPath
    private var sequencer: Sequencer<Piece>
    private var clocks = HostClocks()
    private var sessions: SessionHeaders
    private var lateSessions: SessionHeaders
    private var lastMessages = LastMessages()
    private var lateNumbers: [String: LastMessages.Mark] = [:]
    private var lastStamps: [String: Int64] = [:]
    private var lastReadings: [String: (epoch: Identity, name: ReadingName)] = [:]
    /// Holes wait for what is measured after them; the account of the host bounds how many there can be.
    private var holes: [String: [Hole]] = [:]
    private var otherBoot: OtherBootMessages<Piece>
    /// How many messages were written.
    private(set) var messages = 0

    init(_ host: String, path: String, patienceNanoseconds: Int64) {
        self.host = host
        main = RecordingPath(path + RecordingPath.ending)
        late = RecordingPath(path + RecordingPath.lateEnding)
        otherBoot = OtherBootMessages(patienceNanoseconds: patienceNanoseconds)
        sequencer = Sequencer(patienceNanoseconds: patienceNanoseconds)
        (sessions, lateSessions) = (SessionHeaders(host), SessionHeaders(host))
    }

    /// Whether messages wait for those before them.
    var isWaiting: Bool { sequencer.isWaiting || otherBoot.bytes > 0 }

    /// Goes on where an earlier recording ended: what it has.
    mutating func resume() throws(Failure) -> [RecordedMessages.Part] {
        var recorded = RecordedMessages()
        var lateMessages = LastMessages()
        for line in try Self.objects(late) {
            if let mark = lateMessages.resume(line.object, end: line.end) { recorded.take(mark, isLate: true) }
        }
        var header: (object: JSONObject, offset: Int, length: Int)?
        for line in try Self.objects(main) {
            if let recording = line.object.object("recording") {
                header = (recording, line.offset, line.end - line.offset)
            }
            recorded.take(line.object)
            guard let mark = lastMessages.resume(line.object, end: line.end) else { continue }
            recorded.take(mark, isLate: false)
            if let known = header.take() {
                sessions.resume(known.object, mark.epoch, offset: known.offset, length: known.length)
            }
        }
        for mark in lastMessages.marks { sequencer.resume(mark.resource, mark.epoch, after: mark.number) }
        return recorded.all
    }

    /// The objects at the end of a file, and where each begins and ends.
    private static func objects(
        _ file: RecordingPath
    ) throws(Failure) -> [(object: JSONObject, offset: Int, end: Int)] {
        try file.tail().compactMap { offset, line in
            guard case .object(let object)? = try? JSONReader.read(line, limits: .replies) else { return nil }
            return (object, offset, offset + line.count + 1)
        }
    }

    /// The host reported both clocks.
    mutating func take(_ clock: ClockReading, of epoch: Identity) throws(Failure) {
        clocks.take(clock, of: epoch)
        for (offset, bytes) in sessions.corrections(clocks) { try main.replace(at: offset, bytes) }
        for (offset, bytes) in lateSessions.corrections(clocks) { try late.replace(at: offset, bytes) }
    }

    /// Takes a message that is new.
    mutating func take(
        _ message: FleetMessage, of resource: String, isLate: Bool, _ account: FleetAccount, _ now: Int64
    ) throws(Failure) {
        if let clock = message.clock { try take(clock, of: message.epoch) }
        let readings = message.objects("readings").filter { $0["sequence"] != nil }
        let names = readings.map {
            ReadingName(sequence: $0.integer("sequence"), stamp: $0.integer("timestampNanoseconds"))
        }
        let lines = RecordedLines.lines(of: message, resource)
        let piece = Piece(
            mark: LastMessages.Mark(
                resource: resource, epoch: message.epoch, number: message.number,
                stamp: readings.last.flatMap(MessageSpan.last)),
            lines: lines.bytes, firstLine: lines.first,
            names: [names.first, names.last].compactMap { $0 }, clock: message.clock,
            formerGap: message.formerGap, first: names.first?.stamp)
        try write(
            sequencer.take(
                piece, message, of: resource, isLate: isLate, bytes: piece.lines.count,
                first: account.first(of: host, message.epoch, resource), now), account, now)
    }

    /// Writes what has waited long enough.
    mutating func turn(_ now: Int64, mostBytes: Int, _ account: FleetAccount) throws(Failure) {
        let host = host
        try write(
            sequencer.turn(now, mostBytes: mostBytes - otherBoot.bytes) {
                account.firstUnknown(of: host, $1, $0, from: $2)
            }, account, now, isAll: otherBoot.bytes > mostBytes)
    }

    /// Writes everything, and waits until it is on the disk.
    mutating func finish(_ account: FleetAccount) throws(Failure) {
        try write(sequencer.finish(), account, 0, isAll: true)
        main.sync()
        late.sync()
    }

    private mutating func write(
        _ outputs: [Sequencer<Piece>.Output], _ account: FleetAccount, _ now: Int64, isAll: Bool = false
    ) throws(Failure) {
        var lines: [UInt8] = []
        var lateLines: [UInt8] = []
        for output in outputs {
            switch output {
            case .next(var piece):
                lines += formerGap(of: piece)
                if piece.first != nil { piece.holes = holes.removeValue(forKey: piece.resource) ?? [] }
                if otherBoot.resources.contains(piece.resource) || sessions.isOtherBoot(piece.epoch, clocks) {
                    otherBoot.add(piece, of: piece.resource, bytes: piece.lines.count, now)
                } else {
                    otherBoot.noteWritten(now)
                    lines += self.lines(of: piece, after: lines.count, account)
                }
            case .hole(let resource, let epoch, let numbers):
                holes[resource, default: []].append(Hole(epoch: epoch, numbers: numbers))
            case .late(let piece, let epoch, let number, let resource):
                // What goes back begins a session of its own, since in each a resource only goes forward.
                if let former = lateNumbers[resource], former.epoch != epoch || former.number > number {
                    lateSessions.end()
                    lateNumbers = [:]
                }
                lateNumbers[resource] = LastMessages.Mark(resource: resource, epoch: epoch, number: number)
                let (late, length) = (late, lateLines.count)
                lateLines +=
                    lateSessions.header(at: piece.instant, in: piece.epoch, clocks) { late.length + length }.bytes
                lateLines += piece.lines
                messages += 1
            }
        }
        for piece in otherBoot.take(now, isAll: isAll) { lines += self.lines(of: piece, after: lines.count, account) }
        try main.append(lines)
        try late.append(lateLines)
    }

    /// The lines of a message with what belongs before it; so many bytes are still to be written before them.
    private mutating func lines(of piece: Piece, after length: Int, _ account: FleetAccount) -> [UInt8] {
        let main = main
        let (header, isOtherBoot) = sessions.header(at: piece.instant, in: piece.epoch, clocks) {
            main.length + length
        }
        if isOtherBoot { lastStamps = [:] }
        defer { lastStamps[piece.resource] = piece.mark.stamp ?? lastStamps[piece.resource] }
        messages += 1
        let lines = header + gaps(before: piece, account) + withoutRepetition(piece)
        return lines + lastMessages.lines(after: piece.mark, bytes: lines.count)
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

    /// What was not read at the end of the boot before, while its session lasts.
    private func formerGap(of piece: Piece) -> [UInt8] {
        guard let gap = piece.formerGap, gap.bootID == sessions.bootID else { return [] }
        return RecordedLines.gap(gap, piece.resource)
    }

    /// What did not come, between what was measured before and after it.
    private mutating func gaps(before piece: Piece, _ account: FleetAccount) -> [UInt8] {
        guard let until = piece.first else { return [] }
        // The program may have been started again since; an epoch is of one boot.
        let before = lastStamps[piece.resource] ?? lastMessages.stamp(of: piece.resource, in: piece.epoch)
        let from = min(before ?? until, until)
        return piece.holes.flatMap { hole in
            account.causes(of: host, hole.epoch, piece.resource, hole.numbers).flatMap { numbers, cause in
                RecordedLines.gap(piece.resource, hole.epoch, numbers, cause, from: from, until: until)
            }
        }
    }
}
