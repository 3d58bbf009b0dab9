internal import CLinux
internal import Glibc
internal import Printable
internal import Programs
internal import Varlink

/// Where the program writes its output and its notes, without buffering.
struct Terminal {
    /// The descriptor of the output.
    var output: Int32 = 1
    /// The descriptor of the notes.
    var notes: Int32 = 2
    var format = OutputFormat.text
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

    /// The columns of a terminal; nil if they are unknown. `ioctl(2)` TIOCGWINSZ
    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines, all at once; what the locale does not have is replaced. `write(2)`
    func print(_ lines: [String]) throws(Failure) {
        guard !lines.isEmpty else { return }
        try Output.write(Self.shown(lines.map { $0 + "\n" }.joined(), isUnicode), to: output)
    }

    /// Writes what a command has found, in the format of the output: lines for people, objects, or a table with its heading.
    func print(
        text: @autoclosure () -> [String], json: @autoclosure () -> [JSONObject], csv: @autoclosure () -> [[String]]
    ) throws(Failure) {
        switch format {
        case .text: try print(text())
        case .json: try print(json().map(JSONFormat.line))
        case .csv: try print(csv().map(CSVFormat.row))
        }
    }

    /// Colours, if the output has some.
    var style: Style { Style(isOn: isColoured) }

    /// Writes bytes as they are. `write(2)`
    func write(_ bytes: [UInt8]) throws(Failure) { try Output.write(bytes, to: output) }

    /// Writes a note, which may name anything from outside; it is no failure if nobody reads it. `write(2)`
    func note(_ line: String) { try? Output.write(Self.shown(line.printableLines + "\n", areNotesUnicode), to: notes) }

    /// Writes a note in place of the last one, cut to one line: of several, only the last would be replaced. `write(2)`
    func noteInPlace(_ line: String) {
        let fitting = TerminalText.cut(line.printable, to: Self.columns(of: notes) ?? .max)
        try? Output.write("\r\u{1B}[K" + Self.shown(fitting, areNotesUnicode), to: notes)
    }

    private static func shown(_ text: String, _ isUnicode: Bool) -> String {
        isUnicode || text.utf8.allSatisfy { $0 < 0x80 } ? text : TerminalText.ascii(text)
    }
}
