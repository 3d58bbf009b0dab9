internal import CLinux
internal import Glibc

/// A sealed file in memory for another process to read.
public struct MemoryFile: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Creates a file of these bytes; its name is shown in /proc. `memfd_create(2)`, `write(2)`
    public init(_ bytes: [UInt8], name: String) throws(SystemError) {
        let file = Descriptor(owning: unsafe clinux_memory_file(name))
        guard file.number >= 0 else { throw .current("memfd_create") }
        try file.write(bytes, "write to memory")
        guard clinux_seal(file.number) == 0 else { throw .current("seal memory") }
        descriptor = file
    }

    /// The descriptor's number, to be passed on.
    public var number: Int32 { descriptor.number }

    /// Reads the bytes of a file from its descriptor, which stays the caller's; nil if it is no file, or too long.
    /// `pread(2)`
    public static func read(_ number: Int32, maximumBytes: Int) -> [UInt8]? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (0...maximumBytes).contains(Int(status.st_size))
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes[length...].withUnsafeMutableBytes {
                unsafe pread(number, $0.baseAddress, $0.count, off_t(length))
            }
            if count > 0 { length += count } else if count == 0 || errno != EINTR { return nil }
        }
        return bytes
    }
}
