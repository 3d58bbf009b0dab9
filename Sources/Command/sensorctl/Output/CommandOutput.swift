internal import Programs

/// What a command writes: a file, or the standard output.
struct CommandOutput: ~Copyable {
    /// The output's name in messages.
    let name: String
    /// Whether it is a file, and not the standard output.
    let isFile: Bool
    private let terminal: Terminal
    private var file: OutputFile?

    /// Opens a file, or the standard output, written as `-`; a file that exists is replaced only if `replaces` is true.
    init(_ path: String, replaces: Bool, _ terminal: Terminal) throws(Failure) {
        self.terminal = terminal
        isFile = path != "-"
        name = isFile ? path : "the standard output"
        file = isFile ? try OutputFile(path, replaces: replaces) : nil
    }

    /// Writes bytes at the end.
    mutating func write(_ bytes: [UInt8]) throws(Failure) {
        guard !bytes.isEmpty else { return }
        if file == nil { try terminal.write(bytes) } else { try file?.write(bytes) }
    }

    /// Gives a complete file its name.
    mutating func finish() throws(Failure) { try file?.finish() }
}
