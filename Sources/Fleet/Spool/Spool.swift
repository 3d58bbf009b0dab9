/// Messages on their way, on a disk that may fill up, fail, or lose its power.
///
/// Messages lie in segments, oldest first, and keep their place until they are acknowledged and some time has passed,
/// so that they can be sent again. Whatever has to go is reported by a record of its own, with the numbers. Other modules see
/// several of them as one `PrioritySpool`, which says what the members are.
struct Spool {
    let epoch: Identity
    let recovery: SpoolRecovery
    /// The serial after the newest message.
    private(set) var end: UInt64

    private let bootID: Identity
    private let limits: SpoolLimits
    private var numbers: StreamNumbers
    private(set) var files: SegmentFiles
    private var acknowledged: NumberSet
    private var isMarked = true
    /// Whether first messages have still to be written: until then, nothing else may be.
    private var isBeginning = false
    private var losses = Losses()
    /// It reports losses of any stream but these, which others number; nil: of its own alone.
    private let reportsAllBut: Set<String>?
    private var others: [(stream: String, loss: Loss)] = []
    /// The number of the newest segment that was found; 0 for none.
    let recoveredOrdinal: UInt64
    private var recent = RecentMessages()

    /// Takes a message that was there before, with the boot of the host and about the UTC in which it was written.
    typealias Visitor = (_ message: SpooledMessage, _ bootID: Identity, _ utcMicroseconds: Int64) -> Void

    /// Opens what is on a disk, and begins a new epoch; each message that is there is visited, the oldest first.
    ///
    /// Damaged ends are cut off, and files in which nothing can be read are removed; what was there is reported as
    /// lost.
    init(
        _ disk: any SpoolDisk, streams: [String], epoch: Identity, bootID: Identity, limits: SpoolLimits,
        reportsAllBut: Set<String>? = [], visit: Visitor = { _, _, _ in }
    ) throws(DiskFailure) {
        self.epoch = epoch
        self.reportsAllBut = reportsAllBut
        self.bootID = bootID
        self.limits = limits
        numbers = StreamNumbers(streams)
        let found = try Findings(disk, visit)
        recovery = found.recovery
        acknowledged = found.acknowledged
        end = max(found.end, (acknowledged.ranges.last?.upperBound).map { $0 + 1 } ?? 0)
        for report in found.reports where !acknowledged.contains(report.serial) {
            losses.didReport(report.loss, of: report.stream, at: report.serial)
        }
        // What an earlier start reported need not be reported again.
        let reported = found.reports.reduce(into: [Losses.Key: NumberSet]()) { reported, loss in
            reported[Losses.Key(loss.loss, of: loss.stream), default: NumberSet()].insert(loss.loss.numbers)
        }
        for (stream, loss) in found.losses
        where reported[Losses.Key(loss, of: stream)]?.contains(loss.numbers) != true {
            losses.add(loss, of: stream)
        }
        // Serials between segments, where a damaged end was, hold nothing.
        for (segment, next) in zip(found.segments, found.segments.dropFirst()) where segment.end < next.first {
            acknowledged.insert(segment.end...next.first - 1)
        }
        if let last = found.segments.last, last.end < end { acknowledged.insert(last.end...end - 1) }
        recoveredOrdinal = found.segments.last?.ordinal ?? 0
        files = SegmentFiles(disk, found.segments, nextOrdinal: found.nextOrdinal)
        acknowledged.removeAll(below: first)
        assert(first <= end, "the oldest message is no newer than the newest")
        assert(acknowledged.ranges.last.map { $0.upperBound < end } ?? true, "what is not there has not arrived")
    }

    /// The streams, in the order in which they were given, and others whose losses were to be reported.
    var streams: [String] { numbers.names }

    var failure: DiskFailure? { files.failure }

    var failures: UInt64 { files.failures }

    /// Whether new messages are about to be read, and are kept in memory for that.
    var keepsNewest = false {
        didSet { if !keepsNewest { recent = RecentMessages() } }
    }

    var isUnsynced: Bool { files.isUnsynced }

    /// The serial of the oldest message.
    var first: UInt64 { files.all.first?.first ?? end }

    var bytes: Int { files.bytes }

    var lostNumbers: UInt64 { losses.total }

    var backlog: UInt64 {
        guard first < end else { return 0 }
        return acknowledged.missing(in: first...end - 1).reduce(0) { $0 + UInt64($1.count) }
    }

    func nextNumber(of stream: Int) -> UInt64 { numbers[stream] }

    func lastNumber(of stream: Int) -> UInt64 { numbers.written[stream] }

    func oldestNumber(of stream: Int) -> UInt64? {
        let name = streams[stream]
        for segment in files.all where segment.head.epoch == epoch {
            if let numbers = segment.numbers(of: name) { return numbers.lowerBound }
        }
        return nil
    }

    func isAcknowledged(_ serial: UInt64) -> Bool { serial < first || acknowledged.contains(serial) }

    func firstUnacknowledged(from serial: UInt64) -> UInt64 {
        min(end, acknowledged.firstMissing(from: max(serial, first)))
    }

    // MARK: Writing

    /// Appends the first message of the first streams, as far as the disk takes them; whether all are there.
    ///
    /// That message states what was before, so nothing else may have its number, and nothing is written before it.
    mutating func begin(_ count: Int, at now: Moment, payload: (_ stream: Int) -> [UInt8]) -> Bool {
        isBeginning = true
        for stream in numbers.names.indices.prefix(count) where numbers[stream] == 1 {
            let message = Message(form: .members, number: 1, count: 1, payload: payload(stream))
            guard write(message, to: stream, now) != nil else { return false }
        }
        isBeginning = false
        return true
    }

    /// Appends a message with the next numbers of its stream; its serial, or nil if the disk does not take it.
    ///
    /// The payload is made when its first number is known. The numbers are used up in any case, and a loss is reported
    /// as soon as the disk takes records again.
    mutating func append(
        _ form: Message.Form, to stream: Int, count: UInt32 = 1, at now: Moment, payload: (UInt64) -> [UInt8]
    ) -> UInt64? {
        assert(count > 0, "a message has a number")
        reportLosses(now)
        let number = numbers[stream]
        let message = Message(form: form, number: number, count: count, payload: payload(number))
        var cause = Loss.Cause.tooLarge
        if message.payload.count + 64 <= Record.longestBody {
            if let serial = write(message, to: stream, now) { return serial }
            cause = failure?.isFull == true ? .diskFull : .diskFailed
        }
        numbers.use(message, of: stream)
        // The next head states where the numbers go on.
        files.end()
        losses.add(Loss(epoch: epoch, numbers: message.numbers, cause: cause), of: streams[stream])
        return nil
    }

    mutating func lose(_ loss: Loss, of stream: String) { losses.add(loss, of: stream) }

    mutating func reportLosses(_ now: Moment) {
        while !isBeginning, let (stream, loss) = losses.take() {
            guard numbers.index(of: stream) != nil || reportsAllBut?.contains(stream) == false else {
                others.append((stream, loss))
                continue
            }
            guard let index = index(of: stream) else { continue }
            let message = Message(form: .loss(loss), number: numbers[index], count: 1, payload: [])
            guard let serial = write(message, to: index, now) else { return losses.restore(loss, of: stream) }
            losses.didReport(loss, of: stream, at: serial)
        }
    }

    mutating func acknowledge(_ serial: UInt64) {
        guard serial >= first, serial < end else { return }
        acknowledged.insert(serial)
        losses.acknowledge(serial)
        isMarked = false
    }

    mutating func mark(_ now: Moment) {
        guard !isMarked, files.takesRecords else { return }
        isMarked = put(.acknowledged(acknowledged.ranges), now)
    }

    mutating func sync(mayRemove: Bool = true) { files.sync(mayRemove: mayRemove && hasReportedLosses) }

    mutating func close(_ now: Moment) {
        mark(now)
        guard !isBeginning, prepare(for: Record.headerBytes, now) else { return }
        copyHead(now)
        _ = put(.ended, now)
        sync()
    }

    /// The index of a stream, which is added if there is none; nil: there are too many.
    mutating func index(of stream: String) -> Int? {
        if let index = numbers.index(of: stream) { return index }
        guard let index = numbers.add(stream) else { return nil }
        files.end()
        return index
    }

    private mutating func write(_ message: Message, to stream: Int, _ now: Moment) -> UInt64? {
        guard prepare(for: Record.headerBytes + message.payload.count + 64, now),
            put(.message(stream: stream, message), now)
        else { return nil }
        numbers.write(message, of: stream)
        if keepsNewest {
            recent.add(
                SpooledMessage(
                    serial: end, bootNanoseconds: now.bootNanoseconds, stream: streams[stream], epoch: epoch,
                    message: message))
        }
        end += 1
        assert(files.all.last?.end == end, "the newest message is in the newest segment")
        if files.needsCopy { copyHead(now) }
        return end - 1
    }

    private func head(_ now: Moment) -> SegmentHead {
        SegmentHead(
            epoch: epoch, bootID: bootID, utcMicroseconds: now.utcMicroseconds, streams: numbers.heads,
            former: recovery.former, isSynchronized: now.isSynchronized)
    }

    private mutating func copyHead(_ now: Moment) { if put(.copy(head(now)), now) { files.planCopy() } }

    /// Makes the newest segment ready to take so many bytes.
    private mutating func prepare(for size: Int, _ now: Moment) -> Bool {
        if files.takes(size, most: limits.segmentBytes) { return true }
        let isBegun = files.begin(head(now), at: end, now.bootNanoseconds) { [acknowledged] in
            Self.isSpent($0, acknowledged)
        }
        acknowledged.removeAll(below: first)
        guard isBegun else { return false }
        isMarked = acknowledged.ranges.isEmpty
        mark(now)
        trim(now)
        return true
    }

    /// Appends a record to the newest segment; if the disk is full, what has arrived makes room.
    private mutating func put(_ content: Record.Content, _ now: Moment) -> Bool {
        let record = Record(serial: end, bootNanoseconds: now.bootNanoseconds, content: content)
        let isWritten = files.append(record) { [acknowledged] in Self.isSpent($0, acknowledged) }
        acknowledged.removeAll(below: first)
        return isWritten
    }

    // MARK: Removing

    mutating func trim(_ now: Moment) {
        let now = certain(now)
        while hasRemovable, let oldest = files.all.first {
            let age = oldest.age(now, bootID: bootID)
            if age > limits.acknowledgedNanoseconds, Self.isSpent(oldest, acknowledged) {
                guard files.removeOldest() else { return }
                acknowledged.removeAll(below: first)
            } else if age > limits.maximumAgeNanoseconds || bytes > limits.maximumBytes {
                evict(oldest, age > limits.maximumAgeNanoseconds ? .expired : .evicted)
            } else {
                return
            }
        }
    }

    /// The time, as early as it may be.
    ///
    /// A clock without a reference may be years ahead since the host was started, and nobody knows for how long that was
    /// off: nothing is older because of that time.
    private func certain(_ now: Moment) -> Moment {
        guard now.isSynchronized == false else { return now }
        let former = files.all.filter { $0.head.bootID != bootID }
        guard let last = former.last(where: { $0.head.isSynchronized != false }) ?? former.last else { return now }
        var certain = now
        certain.utcMicroseconds = min(now.utcMicroseconds, last.utcMicroseconds(after: now.bootNanoseconds))
        return certain
    }

    /// Whether all of a segment has arrived.
    private static func isSpent(_ segment: Segment, _ acknowledged: NumberSet) -> Bool {
        segment.first == segment.end || acknowledged.contains(segment.first...segment.end - 1)
    }

    /// Removes the oldest segment; what has not arrived of it is to be reported.
    private mutating func evict(_ segment: Segment, _ cause: Loss.Cause) {
        let messages = files.messages(of: segment)
        let unsent = messages.filter { !acknowledged.contains($0.serial) }
        files.doomOldest()
        acknowledged.removeAll(below: first)
        for lost in unsent {
            losses.add(Loss(epoch: segment.head.epoch, numbers: lost.message.numbers, cause: cause), of: lost.stream)
            losses.forget(lost.serial)
        }
        lose(allBut: messages, of: segment)
    }

    /// The numbers of a segment that none of its readable messages has are lost, unless that was reported before.
    private mutating func lose(allBut messages: [SpooledMessage], of segment: Segment) {
        for (index, stream) in segment.head.streams.enumerated() where stream.next < segment.next[index] {
            var readable = segment.holes[index] ?? NumberSet()
            for message in messages where message.stream == stream.name { readable.insert(message.message.numbers) }
            for numbers in readable.missing(in: stream.next...segment.next[index] - 1) {
                losses.add(Loss(epoch: segment.head.epoch, numbers: numbers, cause: .corrupted), of: stream.name)
            }
        }
    }

    // MARK: Beside others on the same disk

    /// Losses of streams that others report, since the last call.
    mutating func takeOthers() -> [(stream: String, loss: Loss)] {
        defer { others = [] }
        return others
    }

    /// Whether all that is lost was reported.
    var hasReportedLosses: Bool { losses.isEmpty && others.isEmpty }

    var newestOrdinal: UInt64 { files.all.last?.ordinal ?? 0 }

    /// Segments that begin from now on have higher numbers than this one.
    mutating func skipOrdinals(to ordinal: UInt64) { files.skipOrdinals(to: ordinal) }

    /// Whether the oldest segment may go: not the newest one, unless it takes no messages.
    var hasRemovable: Bool { files.all.count > (reportsAllBut == nil && numbers.names.isEmpty ? 0 : 1) }

    /// Whether all of the oldest segment has arrived.
    var isOldestSpent: Bool { files.all.first.map { Self.isSpent($0, acknowledged) } ?? false }

    /// Removes the oldest segment, whether the disk did it; what has not arrived of it is to be reported.
    mutating func removeOldest() -> Bool {
        guard let oldest = files.all.first else { return false }
        guard isOldestSpent else {
            evict(oldest, .evicted)
            return true
        }
        defer { acknowledged.removeAll(below: first) }
        return files.removeOldest()
    }

    // MARK: Reading

    /// The message at a serial; nil if it is not there.
    ///
    /// What a disk does not return as it was written is then reported lost.
    mutating func message(at serial: UInt64) -> SpooledMessage? {
        if let message = recent.message(at: serial) { return message }
        guard let segment = files.segment(of: serial) else { return nil }
        if let message = files.message(at: serial, in: segment) { return message }
        guard !isAcknowledged(serial) else { return nil }
        if segment.ordinal == files.all.last?.ordinal { files.end() }
        let messages = files.messages(of: segment)
        if let message = messages.first(where: { $0.serial == serial }) { return message }
        lose(allBut: messages, of: segment)
        var readable = NumberSet()
        for message in messages { readable.insert(message.serial) }
        for range in readable.missing(in: segment.first...segment.end - 1) {
            acknowledged.insert(range)
            for lost in range { losses.forget(lost) }
        }
        return nil
    }
}
