internal import Platform
internal import Readings

/// The journal for what strangers and devices can cause: at most a line in ten seconds for each cause.
///
/// Where all is well nothing is written at run time. Confined to the loop's thread.
final class RationedJournal {
    private struct Line {
        let priority: Journal.Priority
        let text: String
        let event: JournalEvent?
        let fields: [JournalField: String]
    }

    private let journal: Journal
    private var limiter = LineLimiter<LogCause, Line>(
        periodNanoseconds: Limits.logNanoseconds, capacity: Limits.logCauses)

    init(_ journal: Journal) { self.journal = journal }

    /// When to come back for what was held back.
    var deadline: BootTime? { limiter.deadline }

    /// Writes a line, now or, if its cause has had one, when that is ten seconds old.
    func write(
        _ cause: LogCause, _ priority: Journal.Priority, _ text: String, _ event: JournalEvent? = nil,
        _ fields: [JournalField: String] = [:], now: BootTime
    ) {
        let line = Line(priority: priority, text: text, event: event, fields: fields)
        if limiter.admits(line, of: cause, now: now) { put(line, text) }
    }

    /// Writes what was held back long enough.
    func expire(now: BootTime) {
        for held in limiter.expire(now: now) {
            let words =
                held.count > 1 ? "\(held.line.text) (one of \(held.count) such lines in this time)" : held.line.text
            put(held.line, words)
        }
    }

    private func put(_ line: Line, _ words: String) {
        guard let event = line.event else { return journal.write(line.priority, words) }
        journal.write(line.priority, words, event, line.fields)
    }
}
