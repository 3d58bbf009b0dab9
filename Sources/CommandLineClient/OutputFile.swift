internal import CLinux
internal import Glibc
internal import Platform

/// A file that is made whole or not at all: it gets its name when all of it is written.
///
/// Until then it stands beside its place, under a name with `.partial` in it. What is no regular file, such as a pipe, is
/// written as it is. A signal that would end the program is held back until the half file is gone.
struct OutputFile: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    /// Its name while it is written; nil: it has its own.
    private let partial: String?
    private let replaces: Bool
    private var isFinished = false
    /// Nil where nothing would be left behind.
    private let signals: HeldSignals?

    /// Begins a file; one that is there already is replaced only where that is wanted. `open(2)`
    init(_ path: String, replaces: Bool) throws(Failure) {
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        let isRegular = isThere && status.st_mode & S_IFMT == S_IFREG
        guard !isRegular || replaces else { throw Self.isThere(path) }
        // A name that is a link stays one.
        let place = isRegular ? Self.resolved(path) : path
        let partial = isThere && !isRegular ? nil : "\(place).partial-\(getpid())"
        let signals = partial == nil ? nil : HeldSignals()
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (partial == nil ? 0 : O_CREAT | O_EXCL)
        let file = Descriptor(owning: unsafe open(partial ?? path, flags, 0o666))
        guard file.number >= 0 else {
            throw Failure(.cannotCreate, "cannot make a file: \(SystemError.current("open \(path)"))")
        }
        if isRegular { fchmod(file.number, status.st_mode & 0o777) }
        descriptor = file
        self.path = place
        self.partial = partial
        self.replaces = replaces
        self.signals = signals
    }

    deinit {
        // Half a file would be taken for a whole one.
        if let partial, !isFinished { unsafe unlink(partial) }
    }

    /// Adds to it. `write(2)`
    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try HeldSignals.check()
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(
                    .inputOutput, "cannot write a file: \(SystemError.current("write \(path)")); there is none now")
            }
        }
    }

    /// Gives it its name, now that all of it is there. `rename(2)`
    mutating func finish() throws(Failure) {
        guard let partial else { return }
        let result = unsafe replaces ? rename(partial, path) : clinux_rename_new(partial, path)
        guard result == 0 else {
            let error = SystemError.current("rename to \(path)")
            throw error.code == EEXIST ? Self.isThere(path) : Failure(.cannotCreate, "cannot make a file: \(error)")
        }
        isFinished = true
    }

    private static func isThere(_ path: String) -> Failure {
        Failure(.cannotCreate, "\(path) is there already: name another file, or add --force to replace it")
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
