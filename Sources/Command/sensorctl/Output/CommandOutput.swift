internal import Programs

/// What a command writes: a file, or the standard output.
struct CommandOutput: ~Copyable {
    /// The output's name in messages.
    let name: String
    private let terminal: Terminal
    private var file: OutputFile?

    /// Opens a file, or the standard output if there is no path; a file that exists is replaced only if `replaces` is true.
    init(_ path: String?, replaces: Bool, _ terminal: Terminal) throws(Failure) {
        self.terminal = terminal
        name = path ?? "the standard output"
        if let path {
            file = try OutputFile(path, replaces: replaces)
        } else {
            file = nil
        }
    }

    /// Writes bytes at the end.
    mutating func write(_ bytes: [UInt8]) throws(Failure) {
        guard !bytes.isEmpty else { return }
        if file == nil { try terminal.write(bytes) } else { try file?.write(bytes) }
    }

    /// Gives a complete file its name.
    mutating func finish() throws(Failure) { try file?.finish() }
}
