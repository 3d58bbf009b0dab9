internal import BrokerClient
internal import CLinux
internal import Compression
internal import Glibc
internal import Platform

/// The files of a rotated recording that are there already, and how they are deleted.
final class FormerFiles {
    let names: SeriesName

    private static let headBytes = 1 << 16
    /// What was looked up of files, by name.
    private var references: [String: Bool?] = [:]

    init(names: SeriesName) { self.names = names }

    /// The regular files with such a name. `lstat(2)`
    func all() -> [Rotation.File] {
        let directory = names.directory.isEmpty ? "." : names.directory
        return Directory.names(in: directory).filter { names.has($0) }.compactMap { name in
            var status = stat()
            guard unsafe lstat(names.directory + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                return nil
            }
            // A file may be stamped with any time.
            let modified = Int128(status.st_mtim.tv_sec) * 1_000_000_000 + Int128(status.st_mtim.tv_nsec)
            return Rotation.File(
                name: name, bytes: Int64(status.st_size), modifiedNanoseconds: Int64(clamping: modified))
        }
    }

    /// The clock is ahead by so much now of the one that stamped files, the first of which has this name: they get the times that
    /// it would have given them. `utimensat(2)`
    ///
    /// `span` is when they can have been written, by that clock; what was written since has the right time.
    func restamp(from first: String, in span: ClosedRange<Int64>, by lead: Int64) {
        for file in all() where file.name >= first && span.contains(file.modifiedNanoseconds) {
            let (seconds, rest) = (file.modifiedNanoseconds + lead).quotientAndRemainder(dividingBy: 1_000_000_000)
            let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
            _ = unsafe utimensat(AT_FDCWD, names.directory + file.name, [time, time], AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Whether the clock followed a reference when a file was begun, as its header has it; nil: that is not there.
    func followedReference(_ file: Rotation.File) -> Bool? {
        if let known = references[file.name] { return known }
        let head = Self.head(open(file)) ?? []
        let known = RecordingFormat.followedReference(head.prefix { $0 != UInt8(ascii: "\n") })
        references[file.name] = .some(known)
        return known
    }

    /// Opens a file, but no link. `open(2)`
    private func open(_ file: Rotation.File) -> Descriptor {
        Descriptor(
            owning: unsafe Glibc.open(
                names.directory + file.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }

    /// Deletes a file if it is a recording that nobody writes; returns whether there is no recording of that name then.
    /// `flock(2)`, `unlink(2)`
    ///
    /// A name alone proves nothing: somebody may have put a file of another kind there.
    func delete(_ file: Rotation.File) -> Bool {
        let descriptor = open(file)
        guard descriptor.number >= 0 else { return errno == ENOENT }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        references[file.name] = nil
        return unsafe !Self.isRecording(descriptor) || unlink(names.directory + file.name) == 0
    }

    /// Whether a file begins like a recording; an empty one was left by a recorder that could not begin, or had flushed
    /// nothing.
    private static func isRecording(_ file: borrowing Descriptor) -> Bool {
        head(file).map { RecordingFormat.isBeginning($0) } ?? false
    }

    /// The beginning of a file, decompressed if it is compressed; nil if it cannot be read.
    private static func head(_ file: borrowing Descriptor) -> [UInt8]? {
        guard let head = file.bytes(at: 0, headBytes) else { return nil }
        return ZstdDecompressor.isCompressed(head) ? try? decompressed(head) : head
    }

    private static func decompressed(_ head: [UInt8]) throws(ZstdError) -> [UInt8] {
        var decompressor = try ZstdDecompressor()
        decompressor.add(head)
        return try decompressor.take()
    }
}
