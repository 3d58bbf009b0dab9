internal import Platform

/// Frames that come from the other end of a socket.
struct FrameSource {
    private var frames: FrameStream
    /// What a read takes at once; kept, since a fresh one would be cleared each time.
    private var piece = [UInt8](repeating: 0, count: 1 << 14)

    /// A turn takes no more reads.
    private static let mostPieces = 64

    /// No frame may be longer than this.
    init(most: Int) { frames = FrameStream(most: most) }

    /// Reads what there is; false if the other end is gone.
    mutating func receive(from stream: borrowing UnixSocket) -> Bool {
        for _ in 0..<Self.mostPieces {
            switch stream.receive(into: &piece) {
            case .received(let count):
                frames.add(piece[..<count])
                if count < piece.count { return true }
            case .nothing: return true
            case .ended, .failed: return false
            }
        }
        return true
    }

    /// The next whole frame, without its length; nil if it is not there yet.
    mutating func next() throws(BrokenFrame) -> ArraySlice<UInt8>? { try frames.next() }

    /// Forgets all that is there.
    mutating func drop() { frames.drop() }
}
