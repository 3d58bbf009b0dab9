internal import Glibc
internal import Printable

/// The progress of a recording, on one line of a terminal that is overwritten.
struct RecordProgress {
    private static let everyNanoseconds: Int64 = 500_000_000

    private let terminal: Terminal
    /// Whether there is a terminal.
    let isShown: Bool
    private let begin: Int64
    /// When the line is due again.
    private(set) var next: Int64

    /// Shown only on a terminal. `isatty(3)`
    init(_ terminal: Terminal, now: Int64) {
        self.terminal = terminal
        isShown = isatty(terminal.notes) == 1
        begin = now
        next = isShown ? now : .max
    }

    mutating func show(_ recorder: Recorder, bytes: Int64, now: Int64) {
        guard now >= next else { return }
        next = now + Self.everyNanoseconds
        let troubles = recorder.troubles.sorted { $0.key < $1.key }.map { ", \($0.key.printable) \($0.value)" }.joined()
        terminal.noteInPlace(Self.text(recorder, bytes, (now - begin) / 1_000_000_000) + troubles)
    }

    /// The last line: the files, and their content.
    func finish(_ recorder: Recorder, in files: String, bytes: Int64, now: Int64, _ reason: String?) {
        if isShown { terminal.noteInPlace("") }
        let why = reason.map { "\($0); " } ?? ""
        terminal.note(
            "sensorctl: \(why)\(files): \(Self.text(recorder, bytes, (now - begin) / 1_000_000_000))")
    }

    private static func text(_ recorder: Recorder, _ bytes: Int64, _ seconds: Int64) -> String {
        let lost = recorder.lost
        return "\(recorder.readings) readings, \(GapText.text(count: recorder.gaps)), \(SizeText.text(bytes: bytes)), "
            + DecimalText.clock(seconds: seconds)
            + (lost > 0 ? "; \(lost.counted("reading")) could not be written" : "")
    }
}
