internal import Platform
internal import Readings

/// The journal for lines that clients and devices can cause: at most one line per cause in ten seconds.
///
/// While all is well, nothing is written at run time. Confined to whoever holds the loop's baton.
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
    {
        didSet { deadline = limiter.deadline }
    }
    /// When a line that is held back may be written; nil: there is none.
    private(set) var deadline: BootTime?

    init(_ journal: Journal) { self.journal = journal }

    /// Writes a line: at once or, if its cause has had one, when that line is ten seconds old.
    func write(
        _ cause: LogCause, _ priority: Journal.Priority, _ text: String, _ event: JournalEvent? = nil,
        _ fields: [JournalField: String] = [:], now: BootTime
    ) {
        let line = Line(priority: priority, text: text, event: event, fields: fields)
        if limiter.admits(line, of: cause, now: now) { put(line, text) }
    }

    func expire(now: BootTime) {
        for held in limiter.expire(now: now) {
            let words =
                held.count > 1 ? "\(held.line.text) (one of \(held.count) such lines since the last)" : held.line.text
            put(held.line, words)
        }
    }

    private func put(_ line: Line, _ words: String) {
        guard let event = line.event else { return journal.write(line.priority, words) }
        journal.write(line.priority, words, event, line.fields)
    }
}

/// Causes of lines that may be repeated.
enum LogCause: Hashable {
    /// The process has no descriptors left for clients.
    case descriptors
    /// A user has as many connections as allowed.
    case connections(user: UInt32)
    /// A user has as many subscriptions as allowed.
    case subscriptions(user: UInt32)
    /// A user's clients have sent more bytes of incomplete calls than may be kept.
    case calls(user: UInt32)
    /// A user's clients leave more bytes unread than may be kept.
    case unread(user: UInt32)
    /// A client's message is no call, or did not arrive in time.
    case malformed(user: UInt32)
    /// A client reads nothing.
    case stuck(user: UInt32)
    /// A device is gone, or back.
    case device(ResourceName)
}

/// Decides when a line may be written: the first of a cause at once, then the newest in every ten seconds, with the
/// number of lines in that time.
///
/// So no client can fill the disk, and the latest line is never lost. Pure: time is an argument.
struct LineLimiter<Cause: Hashable, Line> {
    /// A line that may be written: the newest of a cause, and how many lines it stands for.
    struct Admitted {
        let line: Line
        let count: Int
    }

    private struct Period {
        var end: BootTime
        var newest: Line?
        var count = 0
    }

    private let periodNanoseconds: Int64
    /// How many causes are distinguished; lines of further ones are dropped until one of these has been quiet for a
    /// period.
    private let capacity: Int
    private var periods: [Cause: Period] = [:]

    init(periodNanoseconds: Int64, capacity: Int) {
        self.periodNanoseconds = periodNanoseconds
        self.capacity = capacity
    }

    /// When a line that is held back may be written; nil: there is none.
    private(set) var deadline: BootTime?

    /// Whether a line may be written now; else it is held back.
    mutating func admits(_ line: Line, of cause: Cause, now: BootTime) -> Bool {
        if periods[cause] == nil {
            forget(before: now)
            guard periods.count < capacity else { return false }
        }
        guard var period = periods[cause], now < period.end || period.newest != nil else {
            periods[cause] = Period(end: now + periodNanoseconds)
            return true
        }
        period.newest = line
        period.count += 1
        periods[cause] = period
        deadline = BootTime.earlier(deadline, period.end)
        assertPeriods()
        return false
    }

    /// The held-back lines that may be written now.
    mutating func expire(now: BootTime) -> [Admitted] {
        guard let due = deadline, now >= due else { return [] }
        deadline = nil
        var admitted: [Admitted] = []
        for (cause, period) in periods {
            guard let line = period.newest else { continue }
            if now >= period.end {
                admitted.append(Admitted(line: line, count: period.count))
                periods[cause] = Period(end: now + periodNanoseconds)
            } else {
                deadline = BootTime.earlier(deadline, period.end)
            }
        }
        assertPeriods()
        return admitted
    }

    private func assertPeriods() {
        assert(periods.count <= capacity)
        assert((deadline != nil) == periods.values.contains { $0.newest != nil }, "a line is held back for ever")
        assert(periods.values.allSatisfy { ($0.newest == nil) == ($0.count == 0) })
    }

    /// A cause that has been quiet for a period starts again.
    private mutating func forget(before now: BootTime) {
        periods = periods.filter { now < $0.value.end || $0.value.newest != nil }
    }
}
