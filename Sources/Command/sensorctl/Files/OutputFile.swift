internal import CLinux
internal import Glibc
internal import Platform
internal import Programs

/// A file that is written completely or not at all: it gets its name when everything is written.
///
/// Until then it has a name with `.partial` in it, in the same directory. A signal that would end the program waits until
/// that file is gone. Something other than a regular file, such as a pipe, is written directly.
struct OutputFile: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    /// The file's name while it is written; nil if it is written directly.
    private let partial: String?
    private let replaces: Bool
    private var isFinished = false
    /// Nil if it is written directly, because then nothing would be left behind.
    private let signals: HeldSignals?

    /// Opens a file; one that exists is replaced only if `replaces` is true. `open(2)`
    init(_ path: String, replaces: Bool) throws(Failure) {
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        let isRegular = isThere && status.st_mode & S_IFMT == S_IFREG
        guard !isRegular || replaces else { throw Self.isThere(path) }
        // A symbolic link is followed, not replaced.
        let target = isRegular ? Self.resolved(path) : path
        // Not by the process: in a container, each has the number of one that was killed and left its file.
        let suffix = String(UInt32.random(in: .min ... .max), radix: 16)
        let partial = isThere && !isRegular ? nil : "\(target).partial-\(suffix)"
        let signals = partial == nil ? nil : HeldSignals()
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (partial == nil ? 0 : O_CREAT | O_EXCL)
        let file = Descriptor(owning: unsafe open(partial ?? path, flags, 0o666))
        guard file.number >= 0 else {
            throw Failure(.cannotCreate, "cannot create a file: \(SystemError.current("open \(path)"))")
        }
        if isRegular { fchmod(file.number, status.st_mode & 0o777) }
        descriptor = file
        self.path = target
        self.partial = partial
        self.replaces = replaces
        self.signals = signals
    }

    deinit {
        // Half a file could be mistaken for a complete one.
        if let partial, !isFinished { unsafe unlink(partial) }
    }

    /// Writes bytes at the end.
    func write(_ bytes: [UInt8]) throws(Failure) {
        try HeldSignals.check()
        do throws(SystemError) { try descriptor.write(bytes, "write \(path)") } catch {
            throw Failure(.inputOutput, "cannot write a file: \(error); the incomplete file was removed")
        }
    }

    /// Gives the complete file its name. `rename(2)`
    mutating func finish() throws(Failure) {
        guard let partial else { return }
        let result = unsafe replaces ? rename(partial, path) : clinux_rename_new(partial, path)
        guard result == 0 else {
            let error = SystemError.current("rename to \(path)")
            throw error.code == EEXIST ? Self.isThere(path) : Failure(.cannotCreate, "cannot create a file: \(error)")
        }
        isFinished = true
    }

    private static func isThere(_ path: String) -> Failure {
        Failure(.cannotCreate, "\(path) exists already: name another file, or add --force to replace it")
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
