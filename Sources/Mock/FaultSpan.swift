/// A fault and when it holds, on a clock of nanoseconds that its owner chooses; perhaps again and again.
public struct FaultSpan: Equatable, Sendable {
    /// What is wrong.
    public let fault: Fault
    /// From then on.
    public let from: Int64
    /// Until before then; `from` for one that is over as soon as it has happened.
    public var until: Int64
    /// After so long, which is longer than it lasts, it begins again; nil: it happens once.
    public var everyNanoseconds: Int64?

    /// A span; what would begin again before it is over lasts until then.
    public init(_ fault: Fault, from: Int64, nanoseconds: Int64?, everyNanoseconds: Int64? = nil) {
        self.fault = fault
        self.from = from
        self.everyNanoseconds = everyNanoseconds.map { max(1, $0) }
        let wanted = fault.kind.isMomentary ? 0 : max(0, nanoseconds ?? fault.kind.usualNanoseconds ?? .max)
        until = Self.sum(from, min(wanted, self.everyNanoseconds ?? .max))
    }

    /// The last time that it began up to an instant: when, and until when; nil where it did not yet.
    public func occurrence(upTo instant: Int64) -> (from: Int64, until: Int64)? {
        guard instant >= from else { return nil }
        guard let everyNanoseconds else { return (from, until) }
        let shift = (instant - from) / everyNanoseconds * everyNanoseconds
        return (from + shift, Self.sum(until, shift))
    }

    /// Whether it holds at an instant.
    public func holds(at instant: Int64) -> Bool { occurrence(upTo: instant).map { instant < $0.until } ?? false }

    /// How often it begins behind an instant and up to another one.
    public func beginnings(after first: Int64, upTo last: Int64) -> Int {
        guard last > first, last >= from else { return 0 }
        guard let everyNanoseconds else { return first < from ? 1 : 0 }
        let before = first < from ? -1 : (first - from) / everyNanoseconds
        return Int(clamping: (last - from) / everyNanoseconds - before)
    }

    /// When it next begins or ends behind an instant; nil where it does not any more.
    public func change(after instant: Int64) -> Int64? {
        guard let current = occurrence(upTo: instant) else { return from }
        if current.until > instant { return current.until == .max ? nil : current.until }
        return everyNanoseconds.map { Self.sum(current.from, $0) }
    }

    /// The same on a clock that is ahead by so much.
    func shifted(by nanoseconds: Int64) -> Self {
        Self(
            fault, from: Self.sum(from, nanoseconds), nanoseconds: until == .max ? nil : until - from,
            everyNanoseconds: everyNanoseconds)
    }

    private static func sum(_ instant: Int64, _ nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = instant.addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }
}
