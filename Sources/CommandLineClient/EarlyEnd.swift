internal import CLinux
internal import Glibc

/// Ends `record` in order when Ctrl-C, SIGTERM or SIGHUP comes before there is anything to record.
///
/// A signal handler instead of a signalfd, because it also ends a program that is blocked, as in `connect` to a stopped
/// broker. The handler is written in C, because it may not run Swift code that could allocate memory or take a lock.
enum EarlyEnd {
    private static let words: StaticString = "sensorctl: nothing was recorded: the broker has not answered yet\n"
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// From here on a signal ends the program with 0. `signal(2)`
    static func begin() {
        words.withUTF8Buffer { words in
            // A static string lasts as long as the program, and ends in a NUL.
            unsafe words.withMemoryRebound(to: CChar.self) {
                unsafe clinux_end_at_signals(signals, Int32(signals.count), $0.baseAddress)
            }
        }
    }

    /// Restores the default actions of the signals.
    static func end() { unsafe clinux_end_at_no_signals(signals, Int32(signals.count)) }

    /// Whether this program was started so that it survives the end of its terminal, as with `nohup`. `sigaction(2)`
    static var outlivesTerminal: Bool { clinux_is_signal_ignored(SIGHUP) != 0 }
}
