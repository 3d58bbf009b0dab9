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
        while scanned < end {
            scanned += 1
            guard bytes[scanned - 1] == UInt8(ascii: "\n") else { continue }
            var line = start..<scanned - 1
            start = scanned
            if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line = line.dropLast() }
            return body(bytes.span.extracting(line))
        }
        return nil
    }

    private mutating func compact() {
        guard start > 0 else { return }
        bytes.replaceSubrange(0..<end - start, with: bytes[start..<end])
        (end, scanned, start) = (end - start, scanned - start, 0)
    }
}
