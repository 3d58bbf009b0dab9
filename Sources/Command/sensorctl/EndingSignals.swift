internal import CLinux
internal import Glibc
internal import Programs

/// SIGINT, SIGTERM and SIGHUP, held back while a file is half written.
///
/// A signal that arrived meanwhile takes effect at the end. One that was ignored when the program started, as under
/// `nohup`, stays ignored.
struct HeldSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private var before = sigset_t()

    /// Blocks the signals. `pthread_sigmask(3)`
    init() { _ = unsafe clinux_hold_signals(Self.numbers, Int32(Self.numbers.count), &before) }

    deinit {
        var before = before
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Throws if a signal has arrived, which ends the program as soon as it is no longer blocked. `sigpending(2)`
    static func check() throws(Failure) {
        if unsafe clinux_is_signal_pending(numbers, Int32(numbers.count)) != 0 { throw Failure(.unavailable, nil) }
    }
}

/// Ends `record` with status 0 if a signal arrives before there is anything to record.
///
/// A signal handler is used instead of a signalfd, because it also ends a program that is blocked, as in `connect` to a
/// stopped broker. The handler is written in C, because it may not run Swift code that could allocate memory or take a
/// lock.
enum EarlyEnd {
    private static let words: StaticString = "sensorctl: nothing was recorded: the broker has sent nothing yet\n"
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
}
