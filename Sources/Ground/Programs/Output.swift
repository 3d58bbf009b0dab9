public import Glibc
internal import Platform

/// What a program writes, without buffering.
public enum Output {
    /// Writes a text as a whole. `write(2)`
    public static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(Failure) {
        try write(Array(text.utf8), to: descriptor)
    }

    /// Writes bytes as a whole. `write(2)`
    public static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { written += count } else { try recover(descriptor, from: errno) }
        }
    }

    private static func recover(_ descriptor: Int32, from code: Int32) throws(Failure) {
        switch code {
        case EINTR: return
        // The output may be shared with a program that made it nonblocking.
        case EAGAIN:
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            unsafe poll(&wait, 1, -1)
        case EPIPE: throw .outputClosed
        default:
            throw Failure(
                .inputOutput, "cannot write the output: \(SystemError.words(for: code)); \(remedy(for: code))")
        }
    }

    private static func remedy(for code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "make room, or write somewhere else"
        case EFBIG: "the file has reached the size limit (see ulimit -f, or the file system)"
        default: "write somewhere else"
        }
    }
}
