internal import Readings

/// Finds those of many items in which something has lasted longer than a limit, without a timer for each.
///
/// The watch only remembers when to check all of them next. Pure: time is an argument.
///
/// A class, since each turn asks for the deadline: of a structure that is changed in place, each read would be checked for exclusive
/// access (`Array.adding`).
final class OverdueWatch {
    /// How long it may last.
    private(set) var limitNanoseconds: Int64
    /// How much less counts as longer, so that those of nearly the same age are found together.
    private let slackNanoseconds: Int64
    /// How many checks the limit has room for, at most: hundreds of items may be due one after the other; nil: any number.
    private let mostChecks: Int64?
    /// How many checks it has at least: progress is not reported, it must be looked for.
    private let leastChecks: Int64
    /// How many checks it has of what has lasted too long; nil: what is found has been dealt with.
    private let repetitions: Int64?
    /// When to check next; nil: nothing lasts.
    private(set) var deadline: BootTime?
    private var isPutOff = false

    init(
        limitNanoseconds: Int64, slackNanoseconds: Int64 = 0, mostChecks: Int64? = nil, leastChecks: Int64 = 1,
        repetitions: Int64? = nil
    ) {
        self.limitNanoseconds = limitNanoseconds
        self.slackNanoseconds = slackNanoseconds
        self.mostChecks = mostChecks
        self.leastChecks = leastChecks
        self.repetitions = repetitions
    }

    /// Something has lasted since an instant.
    func begin(since: BootTime, now: BootTime) {
        let shortest = mostChecks.map { limitNanoseconds / $0 } ?? 0
        let longest = max(shortest, limitNanoseconds / leastChecks)
        let look = min(max(since + limitNanoseconds, now + shortest), now + longest)
        deadline = BootTime.earlier(deadline, look)
    }

    /// Sets another limit; the next check is due at once.
    func setLimit(nanoseconds: Int64, now: BootTime) {
        assert(nanoseconds > 0)
        limitNanoseconds = nanoseconds
        if deadline != nil { deadline = now }
    }

    /// Puts a check off, once, that comes later than a tenth of the limit: this process stood still, as in a frozen container, and who
    /// is to be judged may have as well.
    func putOff(_ now: BootTime) -> Bool {
        let pause = limitNanoseconds / 10
        guard !isPutOff, let due = deadline, now - due > pause else {
            isPutOff = false
            return false
        }
        isPutOff = true
        deadline = now + pause
        return true
    }

    /// Checks all items; returns those over the limit, and remembers when to check the others again.
    func overdue<Item>(among items: [Item], now: BootTime, since: (Item) -> BootTime?) -> [Item] {
        deadline = nil
        return items.filter { item in
            guard let begin = since(item) else { return false }
            if now - begin >= limitNanoseconds - slackNanoseconds {
                let again = repetitions.map { now + limitNanoseconds / $0 }
                deadline = BootTime.earlier(deadline, again)
                return true
            }
            self.begin(since: begin, now: now)
            return false
        }
    }
}
