internal import CLinux
internal import Glibc
internal import Platform
internal import Programs

/// A file without a name, which is gone when the program ends; in `$TMPDIR`, or in /tmp. `open(2)` O_TMPFILE
struct TemporaryFile: ~Copyable {
    static let piece = 1 << 16

    private let descriptor: Descriptor
    private let directory: String
    private var length = 0

    /// Makes one, to buffer what has a name in messages.
    init(toBuffer name: String) throws(Failure) {
        let directory = EnvironmentVariable.value("TMPDIR") ?? "/tmp"
        let file = Descriptor(owning: unsafe clinux_temporary_file(directory))
        guard file.number >= 0 else {
            throw Failure(.cannotCreate, "cannot buffer \(name): \(SystemError.current("make a file in \(directory)"))")
        }
        descriptor = file
        self.directory = directory
    }

    /// Writes bytes at the end. `write(2)`
    mutating func append(_ bytes: ArraySlice<UInt8>, of name: String) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor.number, bytes.baseAddress, bytes.count, off_t(length))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let error = SystemError.current("write to \(directory)")
                throw Failure(.inputOutput, "cannot buffer \(name): \(error); make room, or set TMPDIR")
            }
            length += count
            rest = rest.dropFirst(count)
        }
    }

    /// Reads everything piece by piece. `pread(2)`
    func each(of name: String, _ take: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        var position = 0
        while position < length {
            var result = 0
            let most = min(Self.piece, length - position)
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                repeat {
                    result = unsafe pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(position))
                } while result < 0 && errno == EINTR
                count = max(0, result)
            }
            guard result > 0 else {
                let error = SystemError.current("read from \(directory)")
                throw Failure(.inputOutput, "cannot buffer \(name): \(error); set TMPDIR to another directory")
            }
            position += result
            try take(bytes)
        }
    }

    /// The open file, to be used in another way.
    consuming func release() -> Descriptor { descriptor }

    /// Forgets everything. `ftruncate(2)`
    mutating func clear() {
        ftruncate(descriptor.number, 0)
        length = 0
    }
}
