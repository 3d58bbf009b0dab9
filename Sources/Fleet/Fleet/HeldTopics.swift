internal import Timing

/// One of the two topics of a stream: what is new, or what is left from before and what was asked for again.
public struct HeldTopic: Hashable, Sendable {
    /// The stream.
    public let stream: String
    /// Whether it is the topic `…/late`.
    public let isLate: Bool

    /// For people: as a topic ends.
    public var words: String { isLate ? "\(stream)/late" : stream }
}

/// Topics that the server does not take at present: their messages wait, the others go on.
///
/// Of each topic by itself: subscribers and rights may be for one of a stream's topics and not for the other. After a while one
/// message is tried; if it is taken, all follow.
struct HeldTopics {
    private struct Held {
        var until: Int64
        var backoff: Backoff
        var hasFailed = false
        /// The oldest serial that waits.
        var first: UInt64
        var last: UInt64
        var isProbing = false
        var verdict: Verdict
    }

    private var held: [HeldTopic: Held] = [:]

    /// The held topics, and why they are.
    var verdicts: [HeldTopic: Verdict] { held.mapValues(\.verdict) }

    /// When the next one may be tried of those of which something may leave; nil if none waits.
    func nextProbe(_ mayLeave: (HeldTopic, UInt64) -> Bool) -> Int64? {
        held.filter { !$0.value.isProbing && mayLeave($0.key, $0.value.last) }.map(\.value.until).min()
    }

    /// Whether a topic is held; then the serial is remembered.
    mutating func isHeld(_ topic: HeldTopic, _ serial: UInt64) -> Bool {
        guard var hold = held[topic] else { return false }
        hold.first = min(hold.first, serial)
        hold.last = max(hold.last, serial)
        held[topic] = hold
        return true
    }

    /// A message on a topic was refused.
    mutating func hold(_ topic: HeldTopic, _ serial: UInt64, _ verdict: Verdict, _ now: Int64) {
        var hold =
            held[topic]
            ?? Held(until: now, backoff: Self.backoff(verdict), first: serial, last: serial, verdict: verdict)
        if hold.verdict != verdict { hold.backoff = Self.backoff(verdict) }
        // Several that were out at once count once.
        if !hold.hasFailed || hold.isProbing { hold.until = now + hold.backoff.next() }
        (hold.hasFailed, hold.isProbing, hold.verdict) = (true, false, verdict)
        hold.first = min(hold.first, serial)
        hold.last = max(hold.last, serial)
        held[topic] = hold
    }

    /// A topic that may be tried now, if something on it may leave, and the serials of its oldest and its newest message.
    mutating func probe(
        _ now: Int64, _ mayLeave: (HeldTopic, UInt64) -> Bool
    ) -> (topic: HeldTopic, first: UInt64, last: UInt64)? {
        for (topic, hold) in held where !hold.isProbing && hold.until <= now && mayLeave(topic, hold.last) {
            held[topic]?.isProbing = true
            return (topic, hold.first, hold.last)
        }
        return nil
    }

    /// The probe showed nothing about its topic.
    mutating func tryAgain(_ topic: HeldTopic) { held[topic]?.isProbing = false }

    /// A topic is taken again: the serials between which its messages wait.
    mutating func release(_ topic: HeldTopic) -> [UInt64] {
        guard let hold = held.removeValue(forKey: topic) else { return [] }
        assert(hold.first <= hold.last, "what waits has a first and a last")
        return hold.first == hold.last ? [hold.first] : [hold.first, hold.last]
    }

    /// A missing subscriber may come at any time; a missing right needs an administrator.
    private static func backoff(_ verdict: Verdict) -> Backoff {
        let (first, longest): (Int64, Int64) = verdict == .noSubscribers ? (1, 30) : (10, 300)
        return Backoff(
            firstNanoseconds: first * Nanoseconds.second, longestNanoseconds: longest * Nanoseconds.second)
    }
}

/// All messages wait, because the server has too much to do.
struct ServerPause {
    private(set) var until = Int64.min
    private var backoff = Backoff(
        firstNanoseconds: Nanoseconds.second, longestNanoseconds: 60 * Nanoseconds.second)

    /// Begins a pause, each longer than the one before; false if it has begun already, since several answers to what was
    /// out at once count once.
    mutating func extend(_ now: Int64) -> Bool {
        guard now >= until else { return false }
        until = now + backoff.next()
        return true
    }

    /// The server took something: the next pause is a short one.
    mutating func reset() { backoff.reset() }
}

/// How fast what is left from before may leave: recorded time for real time.
struct BacklogPace {
    private let speed: Double?
    private var credit = 0.0
    private var refilled: Int64 = 0
    private var last: Int64?

    /// The most that one message costs, for those after a pause.
    private static let mostCost = 10e9
    /// How much may be saved up.
    private static let mostCredit = 1e9

    init(speed: Double?) { self.speed = speed }

    mutating func restart(_ now: Int64) {
        (credit, refilled, last) = (Self.mostCredit, now, nil)
    }

    /// When the next may leave; nil: now.
    mutating func notBefore(_ now: Int64) -> Int64? {
        guard let speed else { return nil }
        credit = min(Self.mostCredit, credit + Double(max(0, now - refilled)) * speed)
        refilled = now
        guard credit < 0 else { return nil }
        return now + (Int64(exactly: (-credit / speed).rounded(.up)) ?? Nanoseconds.second) + 1
    }

    /// One leaves that was written at an instant.
    mutating func spend(_ bootNanoseconds: Int64) {
        let (step, overflow) = bootNanoseconds.subtractingReportingOverflow(last ?? bootNanoseconds)
        last = bootNanoseconds
        assert(credit <= Self.mostCredit, "credit is not saved up without bound")
        credit -= min(Self.mostCost, max(0, overflow ? 0 : Double(step)))
    }
}
