internal import Fleet
internal import Glibc
internal import Platform
internal import Spool

/// What leaves counts, for a link that is paid by the byte: the day's budget, and when what is left from before may leave.
final class LinkMeter {
    /// Begins with the first turn.
    private var budget: DailyBudget?
    private let limit: Int?
    private let condition: PathCondition?
    /// Where the budget is saved, so that a restart brings nothing.
    private let path: String
    private var saved: String?
    private var saveDue: Int64 = 0
    private var lookDue: Int64 = .min
    private var isBacklogOpen = true

    private static let saveNanoseconds = 60 * Nanoseconds.second
    private static let lookNanoseconds = 5 * Nanoseconds.second

    init(_ settings: FleetSettings, directory: String) {
        path = "\(directory)/budget"
        limit = settings.dailyBytes
        condition = settings.backlogCondition
        saved = limit == nil ? nil : SmallFile.text(at: path)
    }

    /// Whether anything is limited.
    private var isIdle: Bool { limit == nil && condition == nil }

    /// What may leave now, of lanes with these priorities.
    func permit(_ priorities: [Priority], _ now: Moment) -> SendPermit {
        isIdle ? .all : SendPermit(priorities, budget, isBacklogOpen: isBacklogOpen, now)
    }

    /// Whether the budget is enough for what is as all others; else it had better wait together with more.
    func isAmple(_ now: Moment) -> Bool { budget?.allows(.normal, isNew: true, now) ?? true }

    /// Whether texts of which the newest counts may leave, the status among them: as long as anything may.
    func allowsNotices(_ now: Moment) -> Bool { budget?.allows(.high, isNew: true, now) ?? true }

    /// From one status of so many bytes to the next: with a budget, they take a twentieth of it at most.
    func statusInterval(bytes: Int, usual: Int64) -> Int64 {
        guard let limit else { return usual }
        return max(usual, Int64(clamping: bytes) * 20 * (86_400_000_000_000 / Int64(clamping: limit)))
    }

    /// A message was sent.
    func count(_ topic: String, _ payload: [UInt8]) { budget?.spend(topic.utf8.count + payload.count + Self.overhead) }

    /// What else a message has: its header, its identifier and its length.
    private static let overhead = 8

    /// Begins a day, looks at the condition, and saves what is spent.
    func turn(_ now: Moment) {
        guard !isIdle else { return }
        budget = budget ?? limit.map { DailyBudget(bytes: $0, saved: saved, now) }
        budget?.turn(now)
        if now.bootNanoseconds >= lookDue {
            lookDue = now.bootNanoseconds + Self.lookNanoseconds
            isBacklogOpen = condition?.holds ?? true
        }
        if now.bootNanoseconds >= saveDue {
            saveDue = now.bootNanoseconds + Self.saveNanoseconds
            save(now)
        }
    }

    func save(_ now: Moment) {
        guard let text = budget?.text(now), text != saved else { return }
        // A disk that is full is reported by the spool.
        guard (try? WholeFile.replace(path, through: "\(path).new", with: Array(text.utf8))) != nil else { return }
        saved = text
    }

    /// What waits for what, in words; nil if nothing is limited now.
    func words(_ now: Moment) -> String? {
        if let budget, let limit, !budget.allows(.normal, isNew: true, now) {
            return "today's \(budget.spentToday) of \(limit) bytes are sent, the rest waits"
        }
        guard !isBacklogOpen, let condition else { return nil }
        return "what is left waits for \(condition.text)"
    }
}

extension PathCondition {
    /// Whether it holds now. `access(2)`
    fileprivate var holds: Bool { unsafe (access(path, F_OK) == 0) == isPresent }
}
