/// What is known of a segment without reading it.
struct Segment: Equatable {
    /// Files are numbered; the name sorts by it.
    let ordinal: UInt64
    /// Made once, since each record asks for it.
    let name: String
    let head: SegmentHead
    /// The serial of its first message.
    let first: UInt64
    /// The serial after its last message.
    var end: UInt64
    /// The length of its whole records.
    var bytes: Int
    /// CLOCK_BOOTTIME of its first and its newest record.
    let began: Int64
    var newest: Int64
    /// The next number of each stream, after its last message.
    var next: [UInt64]
    /// The numbers of each stream that were found lost in it, and reported, when it was opened.
    var holes: [Int: NumberSet] = [:]
    /// Whether the program ended in order after it.
    var hasEnd = false

    /// A segment of which nothing but the head is there.
    init(ordinal: UInt64, head: SegmentHead, first: UInt64, began: Int64) {
        (self.ordinal, name, self.head) = (ordinal, Self.name(ordinal), head)
        (self.first, end, bytes) = (first, first, 0)
        (self.began, newest, next) = (began, began, head.streams.map(\.next))
    }

    static func name(_ ordinal: UInt64) -> String {
        let digits = String(ordinal, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + ".seg"
    }

    /// The number in a name; nil for another file.
    static func ordinal(_ name: String) -> UInt64? {
        guard name.utf8.count == 20, name.hasSuffix(".seg") else { return nil }
        guard let ordinal = UInt64(name.dropLast(4), radix: 16), ordinal < UInt64(Int64.max) else { return nil }
        return Self.name(ordinal) == name ? ordinal : nil
    }

    /// A record of so many bytes was appended.
    mutating func take(_ record: Record, bytes: Int) {
        self.bytes += bytes
        newest = max(newest, record.bootNanoseconds)
        guard case .message(let stream, let message) = record.content else { return }
        assert(message.number >= next[stream], "a stream goes on in a segment")
        assert(record.serial == end, "serials have no holes in a segment that is written")
        next[stream] = message.numbers.upperBound + 1
        end += 1
    }

    /// How old its newest record is, in a boot of the host; 0 if no clock knows.
    func age(_ now: Moment, bootID: Identity) -> Int64 {
        if head.bootID == bootID { return max(0, now.bootNanoseconds.subtractingSaturated(newest)) }
        // A host without a clock of its own begins in 1970, or where it was switched off: what it stamped then is not older because
        // the clock was set since.
        let plausible: Int64 = 1_600_000_000_000_000
        if head.isSynchronized == false, now.isSynchronized == true { return 0 }
        guard head.utcMicroseconds > plausible, now.utcMicroseconds > head.utcMicroseconds else { return 0 }
        let (age, overflow) = now.utcMicroseconds.subtractingSaturated(utcMicroseconds(after: 0))
            .multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : max(0, age)
    }

    /// UTC of some time after its newest record, by the clock with which it began.
    func utcMicroseconds(after nanoseconds: Int64) -> Int64 {
        let lasted = max(0, newest.subtractingSaturated(began)) / 1_000
        let (utc, overflow) = head.utcMicroseconds.addingReportingOverflow(lasted + max(0, nanoseconds) / 1_000)
        return overflow ? .max : utc
    }

    /// The numbers of a stream in it; nil if there are none.
    func numbers(of stream: String) -> ClosedRange<UInt64>? {
        guard let index = head.streams.firstIndex(where: { $0.name == stream }),
            next[index] > head.streams[index].next
        else { return nil }
        return head.streams[index].next...next[index] - 1
    }
}

extension Int64 {
    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : difference
    }
}
