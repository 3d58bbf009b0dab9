internal import CLinux
internal import Glibc

/// Ends `record` in order when Ctrl-C or SIGTERM comes before there is anything to record.
///
/// A signal handler instead of a signalfd, because it also ends a program that is blocked, as in `connect` to a stopped
/// broker.
enum EarlyEnd {
    private static let words: StaticString = "sensorctl: nothing was recorded: the broker has not answered yet\n"
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// From here on a signal ends the program with 0. `signal(2)`
    static func begin() {
        for number in signals {
            signal(number) { _ in
                // Only calls that are safe in a signal handler: write(2) and _exit(2).
                EarlyEnd.words.withUTF8Buffer { _ = unsafe write(2, $0.baseAddress, $0.count) }
                _exit(0)
            }
        }
    }

    /// Restores the default actions of the signals.
    static func end() { for number in signals { signal(number, SIG_DFL) } }
}
