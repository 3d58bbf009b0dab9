internal import Glibc
internal import Printable

/// Lines for the administrator on stderr, with the priority that the journal understands. `write(2)`
enum Log {
    /// Whether systemd reads stderr.
    private static let isJournal = unsafe getenv("JOURNAL_STREAM") != nil

    /// Something went wrong, but the program goes on.
    static func warn(_ text: String) { write(isJournal ? "<4>" : "sensorbroker-desktop: ", text) }

    /// Something worth knowing.
    static func note(_ text: String) { write(isJournal ? "<5>" : "sensorbroker-desktop: ", text) }

    private static func write(_ prefix: String, _ text: String) {
        let line = Array((prefix + text.printable + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, line, line.count)
    }
}
