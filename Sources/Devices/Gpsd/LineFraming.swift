internal import CGps

/// Splits bytes into lines, in a buffer that never grows.
///
/// libgps' own framing reports half a line as readable for ever, and fails for ever after a line of more than 20,480
/// bytes. Here half a line just waits, each byte is looked at once, and a line that does not fit is an error.
struct LineFraming: Sendable {
    /// The longest line with its newline: three times the largest SKY that gpsd can make.
    static let capacity = 65_536

    private var bytes = [UInt8](repeating: 0, count: Self.capacity)
    private var start = 0
    private var scanned = 0
    private var end = 0

    /// Lets a body write into the free space; it returns the number of bytes it wrote.
    ///
    /// Take all lines first: then one unfinished line remains, moved to the front. Returns what the body returned, or
    /// nil if the unfinished line fills the buffer.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int? {
        compact()
        guard end < Self.capacity else { return nil }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe body(.init(rebasing: $0[end...])) }
        end += min(max(count, 0), Self.capacity - end)
        assert(scanned <= end && end <= Self.capacity)
        return count
    }

    /// Passes the next complete line, without newline and carriage return, to a body; nil if there is none.
    mutating func takeLine<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard let newline = ByteSearch.index(of: "\n", in: bytes.span.extracting(scanned..<end)) else {
            scanned = end
            return nil
        }
        var line = start..<scanned + newline
        (start, scanned) = (line.upperBound + 1, line.upperBound + 1)
        assert(start <= end, "a line ends with what was received")
        if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line = line.dropLast() }
        return body(bytes.span.extracting(line))
    }

    /// Moves byte by byte: a slice of the buffer would share its storage, and the next write would copy all of it.
    private mutating func compact() {
        guard start > 0 else { return }
        let rest = end - start
        for offset in 0..<rest { bytes[offset] = bytes[start + offset] }
        (end, scanned, start) = (rest, scanned - start, 0)
        assert((0...end).contains(scanned))
    }
}

/// Searches bytes for a short text. `memmem(3)`
///
/// Every line is searched before libgps sees it, so the search must be fast.
@safe enum ByteSearch {
    /// The first index of a text at or after an offset; nil if the text does not occur.
    static func index(of text: StaticString, in bytes: borrowing Span<UInt8>, from start: Int = 0) -> Int? {
        guard start < bytes.count else { return nil }
        let offset = unsafe bytes.extracting(start...).withUnsafeBufferPointer { rest in
            unsafe cgps_find(rest.baseAddress, rest.count, text.utf8Start, text.utf8CodeUnitCount)
        }
        return offset < 0 ? nil : start + offset
    }
}
