internal import CCurses

/// The terminal as a full screen, by ncurses: on the alternate screen, until it is given back.
///
/// ncurses and not notcurses: every Debian has it, a full-screen program of text needs no more, and it asks the terminal
/// nothing, so that it starts at once on any of them. What is on the screen is decided by `Canvas`.
struct CursesScreen: ~Copyable {
    /// Whether the terminal shows more than ASCII.
    private let isUnicode: Bool
    private let isColoured: Bool
    private(set) var width = 0
    private(set) var height = 0

    /// Takes over the terminal; nil if it cannot show a full screen. `newterm(3)`
    init?(isColoured: Bool) {
        guard ccurses_begin() != 0 else { return nil }
        let isColoured = isColoured && ccurses_has_colours() != 0
        if isColoured {
            ccurses_begin_colours()
            for colour in Canvas.Look.Colour.allCases where colour != .usual {
                ccurses_pair(colour.rawValue, colour.rawValue)
            }
        }
        self.init(isUnicode: ccurses_is_utf8() != 0, isColoured)
        resize()
    }

    private init(isUnicode: Bool, _ isColoured: Bool) {
        self.isUnicode = isUnicode
        self.isColoured = isColoured
    }

    deinit { ccurses_end() }

    /// The size of the terminal on a descriptor; nil if it is none.
    static func size(of descriptor: Int32) -> (width: Int, height: Int)? {
        var (width, height): (Int32, Int32) = (0, 0)
        guard unsafe ccurses_size(descriptor, &width, &height) != 0, width > 0, height > 0 else { return nil }
        return (Int(width), Int(height))
    }

    /// The terminal has another size, which may be nothing at all. `resizeterm(3)`
    mutating func resize() {
        (width, height) = Self.size(of: 1) ?? (1, 1)
        ccurses_resize(Int32(clamping: width), Int32(clamping: height))
        ccurses_repaint()
    }

    /// Shows a page; only what has changed is sent.
    func show(_ canvas: Canvas) {
        ccurses_erase()
        for row in 0..<min(canvas.height, height) {
            for run in canvas.runs(row) {
                let text = isUnicode ? run.text : TerminalText.ascii(run.text)
                let pair = isColoured ? run.look.colour.rawValue : 0
                unsafe ccurses_put(
                    Int32(row), Int32(clamping: run.column), text, run.look.isBold ? 1 : 0, run.look.isFaint ? 1 : 0,
                    run.look.isReversed ? 1 : 0, pair)
            }
        }
        ccurses_show()
    }

    /// The next key that was typed; nil if there is none, or it means nothing.
    func key() -> TopKey? {
        while true {
            let key = ccurses_key()
            guard key != 0 else { return nil }
            if let known = Self.known(key) { return known }
        }
    }

    private static func known(_ key: Int32) -> TopKey? {
        switch key {
        case ccurses_up: .up
        case ccurses_down: .down
        case ccurses_left: .left
        case ccurses_right: .right
        case ccurses_page_up: .pageUp
        case ccurses_page_down: .pageDown
        case ccurses_home: .home
        case ccurses_key_end: .end
        case ccurses_f1: .help
        case ccurses_enter, 10, 13: .enter
        case ccurses_backspace, 8, 127: .backspace
        case 9: .tab
        case 27: .escape
        case 32...: Unicode.Scalar(UInt32(key)).map { .character(Character($0)) }
        default: nil
        }
    }

    /// Gives the terminal back, stops the process as the shell expects, and goes on when it is continued.
    mutating func suspend() {
        ccurses_end()
        ccurses_stop()
        resize()
    }
}

extension CursesScreen {
    /// Ends the process by a signal, as if it had not been caught; the terminal has been given back.
    static func die(of signal: Int32) { ccurses_die(signal) }
}
