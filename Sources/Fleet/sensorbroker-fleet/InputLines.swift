internal import Glibc
internal import Platform
internal import Programs

/// The lines of a file, or of standard input, in memory that does not depend on its length.
struct InputLines: ~Copyable {
    private let path: String
    private let descriptor: Descriptor
    private var buffer: [UInt8] = []
    private var offset = 0
    private var isAtEnd = false

    private static let pieceBytes = 1 << 20

    /// Opens a file; `-` is standard input. `open(2)`
    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = Descriptor(
            owning: path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : unsafe open(path, O_RDONLY | O_CLOEXEC))
        guard descriptor.number >= 0 else {
            throw Failure(.noInput, "cannot read \(path): \(SystemError.words(for: errno))")
        }
    }

    /// The next line without its end; nil at the end. `read(2)`
    mutating func next(atMost longest: Int) throws(Failure) -> [UInt8]? {
        var searched = offset
        while true {
            if let end = buffer[searched...].firstIndex(of: 10) {
                defer { offset = end + 1 }
                return Array(buffer[offset..<end])
            }
            guard buffer.count - offset <= longest else { throw Failure(.data, "\(path) has a line that is too long") }
            if isAtEnd {
                defer { offset = buffer.count }
                return offset < buffer.count ? Array(buffer[offset...]) : nil
            }
            buffer.removeFirst(offset)
            offset = 0
            searched = buffer.count
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe read(descriptor.number, $0.baseAddress, $0.count)
            }
            guard count >= 0 || errno == EINTR else {
                throw Failure(.inputOutput, "cannot read \(path): \(SystemError.current("read"))")
            }
            isAtEnd = count == 0
            buffer += piece.prefix(max(0, count))
        }
    }
}
