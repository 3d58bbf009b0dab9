internal import Readings

/// How often a line may be written: the first of a cause at once, then one in ten seconds, which is the newest and tells
/// how many came meanwhile.
///
/// So that nobody can fill a disk by being a nuisance, and yet what was said last is not lost. Pure: time is an argument.
struct LineLimiter<Cause: Hashable, Line> {
    /// What may be written: the newest line of a cause, and how many it stands for.
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
    /// Causes that are told apart; of further ones nothing is written until one of these has been quiet for a period.
    private let capacity: Int
    private var periods: [Cause: Period] = [:]

    init(periodNanoseconds: Int64, capacity: Int) {
        self.periodNanoseconds = periodNanoseconds
        self.capacity = capacity
    }

    /// When something held back may be written; nil: nothing is.
    private(set) var deadline: BootTime?

    /// A line comes: whether it may be written now, else it is held back.
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
        return false
    }

    /// What was held back and may be written now.
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
        return admitted
    }

    /// Causes of which nothing has come for a period begin anew.
    private mutating func forget(before now: BootTime) {
        periods = periods.filter { now < $0.value.end || $0.value.newest != nil }
    }
}
