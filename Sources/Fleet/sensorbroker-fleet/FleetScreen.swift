internal import Glibc
internal import Platform
internal import Programs

/// The terminal's other screen, on which lines are drawn in place until it is given back.
///
/// A table without keys needs five sequences that every terminal knows (console_codes(4)), so this program does without ncurses,
/// which `sensorctl top` draws with.
struct FleetScreen: ~Copyable {
    /// Takes over the terminal of the output: no wrapped lines, no cursor.
    init() throws(Failure) { try Output.write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l") }

    deinit { try? Output.write("\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l") }

    /// Shows lines in the place of those before.
    func show(_ lines: [String]) throws(Failure) {
        try Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Whether the output is a terminal that can move its cursor. `isatty(3)`
    static var isTerminal: Bool {
        let kind = EnvironmentVariable.value("TERM") ?? "dumb"
        return isatty(STDOUT_FILENO) == 1 && kind != "dumb"
    }

    /// How many lines it has. `ioctl(2)` TIOCGWINSZ
    static var height: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }
}
