internal import Platform

/// Bytes on their way to the other end of a socket that does not block.
struct FrameQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    /// How many wait.
    var count: Int { bytes.count - start }

    /// Whether none waits.
    var isEmpty: Bool { count == 0 }

    mutating func add(_ frame: [UInt8]) {
        guard !isEmpty else { return (bytes, start) = (frame, 0) }
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += frame
    }

    /// Sends what the socket takes; false if the other end is gone.
    mutating func flush(to stream: borrowing UnixSocket) -> Bool {
        while !isEmpty {
            switch stream.send(bytes.span.extracting(start...)) {
            case .sent: (bytes, start) = ([], 0)
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
