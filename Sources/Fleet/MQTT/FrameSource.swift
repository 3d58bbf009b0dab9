internal import Platform

/// Frames that come from the other end of a socket, in whatever pieces.
struct FrameSource {
    private var bytes: [UInt8] = []
    private var start = 0
    private let most: Int
    /// What a read takes at once; kept, since a fresh one would be cleared each time.
    private var piece = [UInt8](repeating: 0, count: 1 << 14)

    /// A turn takes no more reads.
    private static let mostPieces = 64

    /// No frame may be longer than this.
    init(most: Int) { self.most = most }

    /// Reads what there is; false if the other end is gone.
    mutating func receive(from stream: borrowing UnixSocket) -> Bool {
        for _ in 0..<Self.mostPieces {
            switch stream.receive(into: &piece) {
            case .received(let count):
                add(piece[..<count])
                if count < piece.count { return true }
            case .nothing: return true
            case .ended, .failed: return false
            }
        }
        return true
    }

    mutating func add(_ new: ArraySlice<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 18)
            start = 0
        } else if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += new
    }

    /// The next whole frame, without its length; nil if it is not there yet.
    mutating func next() throws(BrokenFrame) -> ArraySlice<UInt8>? {
        assert(start <= bytes.count, "nothing is read twice, or before it came")
        guard bytes.count - start >= FrameWriter.headerBytes else { return nil }
        var header = FrameReader(bytes[start..<start + FrameWriter.headerBytes])
        let count = try header.count()
        guard count > 0, count <= most else { throw BrokenFrame() }
        let first = start + FrameWriter.headerBytes
        guard bytes.count - first >= count else { return nil }
        start = first + count
        return bytes[first..<start]
    }

    /// Forgets all that is there.
    mutating func drop() { (bytes, start) = ([], 0) }
}
