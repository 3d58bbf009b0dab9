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
        var place = offset
        while place + Record.headerBytes <= bytes.count {
            if let found = record(at: place) {
                assert(place >= offset && place + found.size <= bytes.count, "a search goes forward, within its bytes")
                defer { offset = place + found.size }
                return (found.record, found.size, place - offset)
            }
            place += 1
        }
        return nil
    }

    private mutating func record(at place: Int) -> (record: Record, size: Int)? {
        // Nearly all places of damaged bytes are refused by these: lengths and numbers of ours are no larger.
        guard bytes[place + 3] == 0, bytes[place + Record.placeOffset + 7] == 0,
            Record.isKind(bytes[place + Record.kindOffset]), let size = Record.size(at: bytes[place...]),
            place + size <= bytes.count, size <= budget
        else { return nil }
        if place > offset { budget -= size }
        return Record(bytes[place...]).map { ($0, size) }
    }
}
