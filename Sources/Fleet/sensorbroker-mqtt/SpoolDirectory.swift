internal import CLinux
internal import Glibc
internal import Platform
internal import Spool

/// The files of the spool.
///
/// What waits for the disk does so on a thread of its own.
final class SpoolDirectory: SpoolDisk {
    private final class OpenFile: Sendable {
        let name: String
        let descriptor: Descriptor

        init(_ name: String, _ descriptor: consuming Descriptor) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    let path: String
    private let directory: OpenFile
    /// Most recently used last.
    private var open: [OpenFile] = []
    private var unsynced: [OpenFile] = []
    private let syncing = Syncing()
    private static let mostOpen = 8
    /// The files that grow, by their names: one, or one of each priority.
    private var growing: [String: GrowingFile] = [:]
    private static let mostGrowing = 4
    /// The end of a segment's name; what is before it is its chain's.
    private static let ordinalLength = 20

    /// A file with room for what comes next.
    ///
    /// Else each sync would also write down which blocks it got: a fifth of all that is written.
    private struct GrowingFile {
        let file: OpenFile
        var size: Int
        private var room: Int
        private static let step = 64 << 10

        /// A file that has this size.
        init(_ file: OpenFile, size: Int) { (self.file, self.size, room) = (file, size, size) }

        /// Makes room for more bytes; where that is not possible, they find it themselves, or there is none. `fallocate(2)`
        mutating func reserve(_ count: Int) {
            guard room - size < count else { return }
            let more = size + count + Self.step - room
            clinux_reserve(file.descriptor.number, Int64(room), Int64(more))
            room += more
            assert(room - size >= count, "there is room for what comes")
        }

        /// Gives the room back that was not needed. `ftruncate(2)`
        func end() { if room > size { _ = ftruncate(file.descriptor.number, off_t(size)) } }
    }

    /// What the thread that waits for the disk has to do.
    private final class Syncing: Sendable {
        private struct Work: Sendable {
            var files: [OpenFile] = []
            /// What goes afterwards.
            var doomed: [String] = []
        }

        let failure = Locked<Int32?>(nil)
        private let state = Locked<(work: Work, isRunning: Bool)>((Work(), false))
        /// Whoever works has it.
        private let turn = Locked<Void>(())

        /// Adds to the work; whether a thread has to be started for it.
        func add(_ files: [OpenFile], thenRemoving names: [String]) -> Bool {
            state.withLock { state in
                state.work.files += files
                state.work.doomed += names
                defer { state.isRunning = true }
                return !state.isRunning
            }
        }

        /// There is no thread for the work; it is done with what is added next.
        func giveUp() { state.withLock { $0.isRunning = false } }

        /// Works until nothing is left, also by whoever works now: what was added meanwhile must not wait for another interval.
        func run(in directory: OpenFile) {
            turn.withLock { _ in while let work = next() { finish(work, in: directory) } }
        }

        private func finish(_ work: Work, in directory: OpenFile) {
            var isWritten = true
            for file in work.files where fdatasync(file.descriptor.number) != 0 {
                let code = errno
                isWritten = false
                failure.withLock { $0 = code }
            }
            if isWritten { for name in work.doomed { unsafe unlinkat(directory.descriptor.number, name, 0) } }
        }

        private func next() -> Work? {
            state.withLock { state in
                guard !state.work.files.isEmpty else {
                    state.isRunning = false
                    return nil
                }
                defer { state.work = Work() }
                return state.work
            }
        }
    }

    init(path: String) throws(SystemError) {
        self.path = path
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .current("open \(path)") }
        directory = OpenFile("", Descriptor(owning: number))
    }

    /// Why the last sync failed; nil if it did not, or was asked for already.
    func takeSyncFailure() -> DiskFailure? {
        syncing.failure.withLock { code in
            defer { code = nil }
            return code.map { Self.failure("sync", path, $0) }
        }
    }

    func names() throws(DiskFailure) -> [String] {
        do throws(SystemError) { return try WholeFile.names(in: path) } catch {
            throw DiskFailure(isFull: false, error.description)
        }
    }

    func size(of name: String) throws(DiskFailure) -> Int {
        var status = stat()
        guard unsafe fstat(try file(name).descriptor.number, &status) == 0 else { throw failed("stat", name) }
        return Int(status.st_size)
    }

    func read(_ name: String, from offset: Int, most count: Int) throws(DiskFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, try size(of: name) - offset)))
        let file = try file(name)
        var got = 0
        while got < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(
                    file.descriptor.number, $0.baseAddress.map { unsafe $0 + got }, $0.count - got, off_t(offset + got))
            }
            if more > 0 {
                got += more
            } else if more == 0 {
                break
            } else if errno != EINTR {
                throw failed("read", name)
            }
        }
        bytes.removeLast(bytes.count - got)
        return bytes
    }

    func create(_ name: String) throws(DiskFailure) {
        let number = unsafe openat(
            directory.descriptor.number, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw failed("create", name) }
        keep(OpenFile(name, Descriptor(owning: number)))
        needsSync(directory)
        // The one before it in its chain grows no more.
        endGrowing { $0.dropLast(Self.ordinalLength) == name.dropLast(Self.ordinalLength) }
    }

    func append(_ bytes: [UInt8], to name: String) throws(DiskFailure) {
        if growing[name] == nil {
            if growing.count == Self.mostGrowing { endGrowing { _ in true } }
            growing[name] = GrowingFile(try file(name), size: try size(of: name))
        }
        growing[name]?.reserve(bytes.count)
        let file = try file(name)
        do throws(SystemError) { try file.descriptor.write(bytes) } catch {
            let failure = Self.failure("write", "\(path)/\(name)", error.code)
            // A torn record is cut off at once.
            guard let size = growing.removeValue(forKey: name)?.size,
                ftruncate(file.descriptor.number, off_t(size)) == 0
            else { throw DiskFailure(isFull: false, failure.description) }
            throw failure
        }
        growing[name]?.size += bytes.count
        needsSync(file)
    }

    func cut(_ name: String, to size: Int) throws(DiskFailure) {
        growing[name] = nil
        let file = try file(name)
        guard ftruncate(file.descriptor.number, off_t(size)) == 0 else { throw failed("cut", name) }
        needsSync(file)
    }

    func remove(_ name: String) throws(DiskFailure) {
        open.removeAll { $0.name == name }
        growing[name] = nil
        unsynced.removeAll { $0.name == name }
        guard unsafe unlinkat(directory.descriptor.number, name, 0) == 0 || errno == ENOENT else {
            throw failed("remove", name)
        }
        needsSync(directory)
    }

    /// Begins to write down what was appended, on a thread that may wait for the disk. `fdatasync(2)`
    func sync(thenRemoving names: [String]) {
        open.removeAll { names.contains($0.name) }
        let (syncing, directory) = (syncing, directory)
        defer { unsynced = [] }
        guard syncing.add(unsynced, thenRemoving: names) else { return }
        let started: Void? = try? Thread.start(name: "sync") { syncing.run(in: directory) }
        if started == nil { syncing.giveUp() }
    }

    /// Writes down what was appended, and waits for it: at the end.
    func syncNow() {
        endGrowing { _ in true }
        _ = syncing.add(unsynced, thenRemoving: [])
        unsynced = []
        syncing.run(in: directory)
    }

    private func endGrowing(_ isEnded: (String) -> Bool) {
        for (name, file) in growing where isEnded(name) {
            file.end()
            growing[name] = nil
        }
    }

    private func needsSync(_ file: OpenFile) {
        if !unsynced.contains(where: { $0 === file }) { unsynced.append(file) }
    }

    private func file(_ name: String) throws(DiskFailure) -> OpenFile {
        if let index = open.lastIndex(where: { $0.name == name }) {
            if index < open.count - 1 { open.append(open.remove(at: index)) }
            return open[open.count - 1]
        }
        let number = unsafe openat(directory.descriptor.number, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw failed("open", name) }
        let file = OpenFile(name, Descriptor(owning: number))
        keep(file)
        return file
    }

    private func keep(_ file: OpenFile) {
        assert(!open.contains { $0.name == file.name }, "a file is open once")
        if open.count == Self.mostOpen { open.removeFirst() }
        open.append(file)
    }

    private func failed(_ what: String, _ name: String) -> DiskFailure { Self.failure(what, "\(path)/\(name)", errno) }

    private static func failure(_ what: String, _ path: String, _ code: Int32) -> DiskFailure {
        DiskFailure(
            isFull: [ENOSPC, EDQUOT, EFBIG].contains(code), "\(what) \(path): \(SystemError.words(for: code))")
    }
}
