public import Spool

/// How many bytes may still leave today, and for what: a link that is paid by the byte.
///
/// A budget that whoever comes first may use is spent by noon, or by yesterday's backlog. So it grows with the day: the
/// backlog may use what the day has brought so far, what is new a bit of what is still to come, by its priority, and
/// `priority high` all of the day. Days are those of UTC; where the clock is wrong, a day also ends after 24 hours in which the
/// program ran.
public struct DailyBudget: Equatable, Sendable {
    private let limit: Int
    private var spent = 0
    /// Days since 1970.
    private var day: Int64
    /// CLOCK_BOOTTIME of the first moment of this day that this process saw.
    private var since: Int64

    private static let dayNanoseconds: Int64 = 86_400_000_000_000
    private static let minuteNanoseconds: Int64 = 60_000_000_000

    /// A budget of so many bytes a day, of which some are spent if the text that was saved is of today.
    public init(bytes limit: Int, saved text: String?, _ now: Moment) {
        self.limit = limit
        (day, since) = (Self.day(now), now.bootNanoseconds)
        let numbers = (text ?? "").split(separator: " ").compactMap { Int64($0) }
        // A clock that is behind what was saved is not set yet, or was ahead then: it may still be that day.
        if (2...3).contains(numbers.count), numbers[0] >= day, numbers.dropFirst().allSatisfy({ $0 >= 0 }) {
            (day, spent) = (numbers[0], Int(clamping: numbers[1]))
            let passed = numbers.count == 3 ? min(numbers[2], Self.dayNanoseconds / Self.minuteNanoseconds) : 0
            since -= passed * Self.minuteNanoseconds
        }
    }

    /// What is saved, so that a restart brings nothing: the day, what is spent, and how many minutes of it have passed.
    public func text(_ now: Moment) -> String {
        "\(day) \(spent) \((now.bootNanoseconds - since) / Self.minuteNanoseconds)"
    }

    /// How many bytes have left today.
    public var spentToday: Int { spent }

    /// Bytes have left.
    public mutating func spend(_ bytes: Int) {
        assert(bytes >= 0 && spent >= 0, "what is spent does not come back")
        let (sum, overflow) = spent.addingReportingOverflow(bytes)
        spent = overflow ? .max : sum
    }

    /// Begins a new day when it is time.
    public mutating func turn(_ now: Moment) {
        // The clock was ahead when the day began.
        if now.isSynchronized == true { day = min(day, Self.day(now)) }
        guard Self.day(now) > day || now.bootNanoseconds - since >= Self.dayNanoseconds else { return }
        (day, since, spent) = (Self.day(now), now.bootNanoseconds, 0)
    }

    /// Whether a message may leave now.
    public func allows(_ priority: Priority, isNew: Bool, _ now: Moment) -> Bool {
        guard spent < limit else { return false }
        let elapsed = min(Self.dayNanoseconds, max(Self.elapsed(now), now.bootNanoseconds - since))
        let share = min(1, Double(elapsed + (isNew ? Self.lead(priority) : 0)) / Double(Self.dayNanoseconds))
        return Double(spent) < Double(limit) * share
    }

    /// How much of what is still to come today something new may use.
    private static func lead(_ priority: Priority) -> Int64 {
        switch priority {
        case .low: dayNanoseconds / 48
        case .normal: dayNanoseconds / 24
        case .high: dayNanoseconds
        }
    }

    private static func day(_ now: Moment) -> Int64 { now.utcMicroseconds / (dayNanoseconds / 1_000) }

    private static func elapsed(_ now: Moment) -> Int64 { now.utcMicroseconds % (dayNanoseconds / 1_000) * 1_000 }
}

/// What may leave now, by its lane.
public struct SendPermit: Equatable, Sendable {
    /// Lanes of which nothing new leaves, as bits.
    private var newHeld: UInt64 = 0
    /// Lanes of which nothing that is left from before leaves, as bits.
    private var backlogHeld: UInt64 = 0
    /// Whether what was asked for again waits.
    public private(set) var holdsAgain = false
    private var nextLook: Int64 = .max

    /// Everything may leave.
    public static let all = SendPermit()

    private init() {}

    /// When to look again; nil if nothing is held.
    public var lookAgain: Int64? { newHeld | backlogHeld != 0 || holdsAgain ? nextLook : nil }

    /// What a budget allows of lanes with these priorities, and whether anything from before may leave at all.
    public init(_ priorities: [Priority], _ budget: DailyBudget?, isBacklogOpen: Bool, _ now: Moment) {
        nextLook = now.bootNanoseconds + 10_000_000_000
        for (lane, priority) in priorities.prefix(64).enumerated() {
            if budget?.allows(priority, isNew: true, now) == false { newHeld |= 1 << UInt64(lane) }
            if !isBacklogOpen || budget?.allows(priority, isNew: false, now) == false {
                backlogHeld |= 1 << UInt64(lane)
            }
        }
        holdsAgain = !isBacklogOpen || budget?.allows(.normal, isNew: false, now) == false
    }

    /// Whether something new of a lane may leave.
    public func allowsNew(_ lane: Int) -> Bool { lane >= 64 || newHeld & 1 << UInt64(lane) == 0 }

    /// Whether what is left of a lane may leave.
    public func allowsBacklog(_ lane: Int) -> Bool { lane >= 64 || backlogHeld & 1 << UInt64(lane) == 0 }
}
