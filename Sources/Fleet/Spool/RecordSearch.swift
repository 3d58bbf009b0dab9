/// The right records among some bytes, in order, whatever is between them.
///
/// A disk may return anything, so its cost is bounded: no more bytes are checksummed in search of a record than the whole
/// has a few times over. What is then left counts as damaged.
struct RecordSearch {
    private let bytes: [UInt8]
    /// Where the next record should begin.
    private(set) var offset: Int
    private var budget: Int

    /// Bytes of a segment, or the rest of one.
    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
        budget = 16 * bytes.count
    }

    /// The next right record, its length, and how many bytes before it are none; nil if there is no other.
    mutating func next() -> (record: Record, size: Int, skipped: Int)? {
        var start = offset
        while start + Record.headerBytes <= bytes.count {
            if let found = record(at: start) {
                assert(start >= offset && start + found.size <= bytes.count, "a search goes forward, within its bytes")
                defer { offset = start + found.size }
                return (found.record, found.size, start - offset)
            }
            start += 1
        }
        return nil
    }

    private mutating func record(at start: Int) -> (record: Record, size: Int)? {
        // Nearly all starts in damaged bytes are refused by these: lengths and numbers of ours are no larger.
        guard bytes[start + 3] == 0, bytes[start + Record.serialOffset + 7] == 0,
            Record.isKind(bytes[start + Record.kindOffset]), let size = Record.size(at: bytes[start...]),
            start + size <= bytes.count, size <= budget
        else { return nil }
        if start > offset { budget -= size }
        return Record(bytes[start...]).map { ($0, size) }
    }
}
