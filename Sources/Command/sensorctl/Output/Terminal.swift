internal import CLinux
internal import Glibc
internal import Platform
internal import Printable

/// Where the program writes its output and its notes, without buffering.
struct Terminal {
    /// The descriptor of the output.
    var output: Int32 = 1
    /// The descriptor of the notes.
    var notes: Int32 = 2
    /// Whether text may be coloured.
    var isColoured = false
    /// Whether the lines may have other characters than those of ASCII.
    var isUnicode = true
    /// Whether the notes may.
    var areNotesUnicode = true
    /// The columns of the terminal; nil if the output is not one.
    var width: Int?

    /// The standard output and error; coloured on a terminal. `isatty(3)`
    static func standard(_ environment: Environment) -> Self {
        let isTerminal = isatty(1) == 1
        return Self(
            isColoured: environment.wantsColours && isTerminal, width: isTerminal ? columns(of: 1) : nil)
    }

    /// The columns of a terminal; nil if it does not say. `ioctl(2)` TIOCGWINSZ
    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines, all at once; what the locale does not have is replaced. `write(2)`
    func print(_ lines: [String]) throws(Failure) {
        guard !lines.isEmpty else { return }
        try Self.write(Self.shown(lines.map { $0 + "\n" }.joined(), isUnicode), to: output)
    }

    /// Writes a text as it is. `write(2)`
    func write(_ text: String) throws(Failure) { try Self.write(text, to: output) }

    /// Writes bytes as they are. `write(2)`
    func write(_ bytes: [UInt8]) throws(Failure) { try Self.write(bytes, to: output) }

    /// Writes a note, which may name anything from outside; it is no failure if nobody reads it. `write(2)`
    func note(_ line: String) { try? Self.write(Self.shown(line.printableLines + "\n", areNotesUnicode), to: notes) }

    /// Writes a note in place of the last one. `write(2)`
    func noteInPlace(_ line: String) {
        try? Self.write("\r\u{1B}[K" + Self.shown(line.printable, areNotesUnicode), to: notes)
    }

    private static func shown(_ text: String, _ isUnicode: Bool) -> String {
        isUnicode || text.utf8.allSatisfy { $0 < 0x80 } ? text : TerminalText.ascii(text)
    }

    private static func write(_ text: String, to descriptor: Int32) throws(Failure) {
        try write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { written += count } else { try recover(descriptor) }
        }
    }

    private static func recover(_ descriptor: Int32) throws(Failure) {
        switch clinux_errno() {
        case EINTR: return
        // The output may be shared with a program that made it nonblocking.
        case EAGAIN:
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            unsafe poll(&wait, 1, -1)
        case EPIPE: throw .outputClosed
        case let code:
            throw Failure(
                .inputOutput, "cannot write the output: \(SystemError.words(for: code)); \(remedy(for: code))")
        }
    }

    private static func remedy(for code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "make room, or write somewhere else"
        case EFBIG: "the file has reached the size limit (see ulimit -f, or the file system)"
        default: "write somewhere else"
        }
    }
}
