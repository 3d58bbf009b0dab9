internal import Platform

/// Bytes on their way to the other end of a socket that does not block.
struct FrameQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    /// Room that is kept for what comes next: else each message would get it anew, page after page.
    private static let mostKept = 128 << 10

    /// How many wait.
    var count: Int { bytes.count - start }

    var isEmpty: Bool { count == 0 }

    mutating func add(_ message: some FrameMessage) {
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        message.append(to: &bytes)
    }

    /// Sends what the socket takes; false if the other end is gone.
    mutating func flush(to stream: borrowing UnixSocket) -> Bool {
        while !isEmpty {
            switch stream.send(bytes.span.extracting(start...)) {
            case .sent:
                bytes.removeAll(keepingCapacity: bytes.capacity <= Self.mostKept)
                start = 0
            case .partly(let sent):
                start += sent
                assert(start < bytes.count, "a part is less than the whole")
            case .full: return true
            case .failed: return false
            }
        }
        return true
    }
}
