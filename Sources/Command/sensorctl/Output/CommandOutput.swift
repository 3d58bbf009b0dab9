internal import CLinux
internal import Glibc
internal import Programs

/// What a command writes: a file, or the standard output.
struct CommandOutput: ~Copyable {
    /// The output's name in messages.
    let name: String
    /// Whether it is a file, and not the standard output.
    let isFile: Bool
    private let terminal: Terminal
    private var file: OutputFile?

    /// Opens a file, or the standard output, written as `-`; a file that exists is replaced only if `replaces` is true, and the one that
    /// is read never.
    init(_ path: String, of input: String, replaces: Bool, _ terminal: Terminal) throws(Failure) {
        self.terminal = terminal
        isFile = path != "-"
        name = isFile ? path : "the standard output"
        file = isFile ? try Self.file(path, of: input, replaces: replaces) : nil
    }

    /// Writes bytes at the end.
    mutating func write(_ bytes: [UInt8]) throws(Failure) {
        guard !bytes.isEmpty else { return }
        if file == nil { try terminal.write(bytes) } else { try file?.write(bytes) }
    }

    /// Gives a complete file its name.
    mutating func finish() throws(Failure) { try file?.finish() }

    private static func file(_ path: String, of input: String, replaces: Bool) throws(Failure) -> OutputFile {
        guard !areSame(path, input) else {
            throw Failure(.cannotCreate, "\(path) is the file that is read: name another one")
        }
        return try OutputFile(path, replaces: replaces)
    }

    /// Whether two paths lead to one regular file. `stat(2)`
    private static func areSame(_ path: String, _ other: String) -> Bool {
        var (status, otherStatus) = (stat(), stat())
        guard other != "-", unsafe stat(path, &status) == 0, unsafe stat(other, &otherStatus) == 0 else {
            return false
        }
        return status.st_mode & S_IFMT == S_IFREG && status.st_dev == otherStatus.st_dev
            && status.st_ino == otherStatus.st_ino
    }
}
