/// Bytes in, whole lines out, in a buffer that never grows.
///
/// libgps has a framing of its own, which reports half a line as readable for ever and fails for ever after a line over
/// 20,480 bytes. Here half a line just waits, each byte is looked at once, and a line that does not fit is an error.
struct LineFraming: Sendable {
    /// The longest line with its newline.
    ///
    /// The largest SKY that gpsd can make is a third of it.
    static let capacity = 65_536

    private var bytes = [UInt8](repeating: 0, count: Self.capacity)
    private var start = 0
    private var scanned = 0
    private var end = 0

    /// Lets a body write into the free space; it returns how many bytes it wrote there.
    ///
    /// Take all lines first: what remains is one unfinished line, moved to the front. Returns what the body returned, or
    /// nil where that line fills the buffer and can never end.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int? {
        compact()
        guard end < Self.capacity else { return nil }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe body(.init(rebasing: $0[end...])) }
        end += min(max(count, 0), Self.capacity - end)
        return count
    }

    /// Hands the next whole line, without its newline and carriage return, to a body; nil if there is none.
    mutating func takeLine<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard let newline = ByteSearch.index(of: "\n", in: bytes.span.extracting(scanned..<end)) else {
            scanned = end
            return nil
        }
        var line = start..<scanned + newline
        (start, scanned) = (line.upperBound + 1, line.upperBound + 1)
        if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line = line.dropLast() }
        return body(bytes.span.extracting(line))
    }

    /// Moves byte by byte: a slice of the buffer would share its storage, and the next write would copy all of it.
    private mutating func compact() {
        guard start > 0 else { return }
        let rest = end - start
        for offset in 0..<rest { bytes[offset] = bytes[start + offset] }
        (end, scanned, start) = (rest, scanned - start, 0)
    }
}
