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
    mutating func append(_ bytes: [UInt8], of name: String) throws(Failure) {
        do throws(SystemError) { try descriptor.write(bytes, "write to \(directory)") } catch {
            throw Failure(.inputOutput, "cannot buffer \(name): \(error); make room, or set TMPDIR")
        }
        length += bytes.count
    }

    /// Reads everything piece by piece. `pread(2)`
    func each(of name: String, _ take: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        var position = 0
        while position < length {
            guard let bytes = descriptor.bytes(at: position, min(Self.piece, length - position)), !bytes.isEmpty else {
                let error = SystemError.current("read from \(directory)")
                throw Failure(.inputOutput, "cannot buffer \(name): \(error); set TMPDIR to another directory")
            }
            position += bytes.count
            try take(bytes)
        }
    }

    /// The open file, to be used in another way from its beginning on. `lseek(2)`
    consuming func release() -> Descriptor {
        lseek(descriptor.number, 0, SEEK_SET)
        return descriptor
    }

    /// Forgets everything. `ftruncate(2)`
    mutating func clear() {
        ftruncate(descriptor.number, 0)
        lseek(descriptor.number, 0, SEEK_SET)
        length = 0
    }
}
