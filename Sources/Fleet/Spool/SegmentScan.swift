/// The records of a segment in their order, and what is missing between them.
///
/// Serials count messages and numbers those of a stream, so a right record behind a damaged one shows what was between:
/// how many messages, and of its own stream the numbers. A stream of which nothing comes after the damage may have lost
/// its end.
struct SegmentScan {
    /// What is known of the segment, up to the record that came last.
    private(set) var segment: Segment
    /// The serials that are not there.
    private(set) var lostSerials = NumberSet()
    /// How many bytes before the record that came last are none of ours.
    private(set) var damagedBytes = 0
    /// Whether its own head could be read.
    let hasHead: Bool

    private let bytes: [UInt8]
    private var search: RecordSearch
    /// The streams whose newest number may not be known.
    private var doubtful: Set<Int> = []
    /// The most messages that were lost and are of none of the streams whose holes are known.
    private var unexplained: UInt64 = 0

    /// A group has fewer numbers.
    private static let mostNumbers: UInt64 = 1 << 16

    /// The records of a segment of which nothing is known; nil if it has neither a head nor a copy of one.
    init?(_ bytes: [UInt8], ordinal: UInt64) {
        guard let start = Self.start(of: bytes) else { return nil }
        self.init(
            bytes,
            of: Segment(ordinal: ordinal, head: start.head, first: start.serial, began: start.bootNanoseconds),
            hasHead: start.isWhole)
    }

    /// The records of a segment of which the beginning is known.
    init(_ bytes: [UInt8], of segment: Segment, hasHead: Bool = true) {
        self.bytes = bytes
        self.hasHead = hasHead
        self.segment = Segment(
            ordinal: segment.ordinal, head: segment.head, first: segment.first, began: segment.began)
        search = RecordSearch(bytes)
    }

    /// The head, or what is known from a copy of it and from the records before that.
    private static func start(
        of bytes: [UInt8]
    ) -> (head: SegmentHead, serial: UInt64, bootNanoseconds: Int64, isWhole: Bool)? {
        var search = RecordSearch(bytes)
        guard let first = search.next() else { return nil }
        if first.skipped == 0, case .head(let head) = first.record.content {
            return (head, first.record.serial, first.record.bootNanoseconds, true)
        }
        var numbers: [Int: UInt64] = [:]
        var next: Record? = first.record
        while let record = next {
            switch record.content {
            case .message(let stream, let message) where numbers[stream] == nil: numbers[stream] = message.number
            case .copy(var head):
                for (stream, number) in numbers where head.streams.indices.contains(stream) {
                    head.streams[stream].next = min(number, head.streams[stream].next)
                }
                return (head, first.record.serial, record.bootNanoseconds, false)
            default: break
            }
            next = search.next()?.record
        }
        return nil
    }

    /// The next right record that can follow; nil at the end.
    mutating func next() -> Record? {
        while let found = search.next() {
            let end = search.offset
            let skipped = end - found.size - segment.bytes
            guard follows(found.record, skipped) else { continue }
            take(found.record)
            damagedBytes += skipped
            assert(skipped >= 0 && end <= bytes.count, "what is read is within the bytes, and read once")
            segment.bytes = end
            segment.newest = max(segment.newest, found.record.bootNanoseconds)
            return found.record
        }
        return nil
    }

    /// Whether a record can come now, with so many bytes of damage before it.
    private func follows(_ record: Record, _ skipped: Int) -> Bool {
        guard record.serial >= segment.end else { return false }
        let lost = record.serial - segment.end
        guard lost <= UInt64(skipped / Record.shortestMessage) else { return false }
        // A stream may have its part of them later than another one.
        let most = (lost + unexplained).multipliedReportingOverflow(by: Self.mostNumbers).partialValue
        func canBe(_ number: UInt64, next stream: Int) -> Bool {
            number >= segment.next[stream] && number - segment.next[stream] <= most
        }
        switch record.content {
        case .head(let head): return segment.bytes == 0 && head == segment.head
        case .message(let stream, let message):
            return segment.next.indices.contains(stream) && canBe(message.number, next: stream)
        case .copy(let head):
            return head.epoch == segment.head.epoch
                && head.streams.map(\.name) == segment.head.streams.map(\.name)
                && head.streams.indices.allSatisfy { canBe(head.streams[$0].next, next: $0) }
        case .acknowledged, .ended: return true
        }
    }

    private mutating func take(_ record: Record) {
        assert(record.serial >= segment.end, "serials only grow")
        if record.serial > segment.end {
            lostSerials.insert(segment.end...record.serial - 1)
            unexplained += record.serial - segment.end
            doubtful = Set(segment.next.indices)
            segment.end = record.serial
        }
        switch record.content {
        case .head, .acknowledged: break
        case .message(let stream, let message):
            lose(stream, before: message.number)
            segment.next[stream] = message.numbers.upperBound + 1
            segment.end += 1
            segment.hasEnd = false
        case .copy(let head):
            for stream in head.streams.indices { lose(stream, before: head.streams[stream].next) }
            unexplained = 0
        case .ended: segment.hasEnd = true
        }
        if unexplained == 0 { doubtful = [] }
    }

    /// A stream goes on with this number.
    private mutating func lose(_ stream: Int, before number: UInt64) {
        if segment.next[stream] < number {
            segment.holes[stream, default: NumberSet()].insert(segment.next[stream]...number - 1)
            segment.next[stream] = number
            // One of the lost messages at least.
            unexplained -= min(1, unexplained)
        }
        doubtful.remove(stream)
    }

    // MARK: The end

    /// The bytes after the record that came last.
    private var rest: ArraySlice<UInt8> { bytes[segment.bytes...] }

    /// Whether what is left can be the beginning of a record that was not written to its end, or is no message.
    private var isTorn: Bool {
        guard rest.count >= Record.shortestMessage else { return true }
        guard let size = Record.size(at: rest), size > rest.count else { return false }
        var reader = ByteReader(rest.dropFirst(Record.serialOffset))
        return reader.number() == segment.end && Record.isKind(rest[rest.startIndex + Record.kindOffset])
    }

    /// How many bytes after the record that came last are damaged; what was not written to its end is not.
    var damagedEnd: Int { isTorn ? 0 : rest.count }

    /// The streams that may have had more numbers, once all records were read.
    var unknownEnds: [String] {
        let streams = isTorn ? doubtful : Set(segment.next.indices)
        return streams.sorted().map { segment.head.streams[$0].name }
    }
}
