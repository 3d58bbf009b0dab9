internal import CLinux
internal import Glibc

/// A file descriptor that closes itself.
///
/// It is noncopyable and so has exactly one owner, which closes it exactly once.
public struct Descriptor: ~Copyable, Sendable {
    /// The number; valid only while this value lives.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) { self.number = number }

    /// A second descriptor of the same open file, closed on exec. `fcntl(2)` F_DUPFD_CLOEXEC
    public init(duplicating other: Int32) throws(SystemError) {
        let number = fcntl(other, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw SystemError("fcntl F_DUPFD_CLOEXEC", code: errno) }
        self.number = number
    }

    deinit { close(number) }

    /// Gives up ownership: the caller has to close it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Writes all of the bytes; an error names the call. `write(2)`
    public func write(_ bytes: [UInt8], _ call: String = "write") throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(number, $0.baseAddress, $0.count)
            }
            if count > 0 { written += count } else if count == 0 || errno != EINTR { throw .current(call) }
        }
    }

    /// So many bytes of a file from an offset on; fewer at its end, and nil if they cannot be read. `pread(2)`
    public func bytes(at offset: Int, _ most: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(number, $0.baseAddress, $0.count, off_t(offset))
        }
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

/// How many descriptors the process may have open.
public enum DescriptorLimit {
    /// How many the process may have once `raise` has been called; `.max` if there is no limit. `getrlimit(2)`
    public static var most: Int {
        let limit = clinux_descriptor_limit()
        return limit < 0 ? .max : limit
    }

    /// Raises the soft limit to the hard one: each client takes a descriptor. `setrlimit(2)`
    public static func raise() { clinux_raise_descriptor_limit() }
}
