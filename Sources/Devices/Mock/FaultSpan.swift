/// A fault and its times, which may repeat, in nanoseconds of any clock.
public struct FaultSpan: Equatable, Sendable {
    /// The fault.
    public let fault: Fault
    /// The start of the fault.
    public let from: Int64
    /// The end of the fault, which is not part of it; `from` for an instant.
    public var until: Int64
    /// The period of repetition, longer than the fault lasts; nil: it happens once.
    public var everyNanoseconds: Int64?

    /// Creates a span; a repeating fault ends before it begins again.
    public init(_ fault: Fault, from: Int64, nanoseconds: Int64?, everyNanoseconds: Int64? = nil) {
        self.fault = fault
        self.from = from
        self.everyNanoseconds = everyNanoseconds.map { max(1, $0) }
        let wanted = fault.kind.isMomentary ? 0 : max(0, nanoseconds ?? fault.kind.usualNanoseconds ?? .max)
        until = Self.sum(from, min(wanted, self.everyNanoseconds ?? .max))
    }

    /// The latest occurrence that began by an instant; nil if there is none.
    public func occurrence(upTo instant: Int64) -> (from: Int64, until: Int64)? {
        guard instant >= from else { return nil }
        guard let everyNanoseconds else { return (from, until) }
        let shift = (instant - from) / everyNanoseconds * everyNanoseconds
        return (from + shift, Self.sum(until, shift))
    }

    /// Whether the fault is present at an instant.
    public func holds(at instant: Int64) -> Bool { occurrence(upTo: instant).map { instant < $0.until } ?? false }

    /// How many times it begins after one instant and up to another.
    public func beginnings(after first: Int64, upTo last: Int64) -> Int {
        guard last > first, last >= from else { return 0 }
        guard let everyNanoseconds else { return first < from ? 1 : 0 }
        let before = first < from ? -1 : (first - from) / everyNanoseconds
        return Int(clamping: (last - from) / everyNanoseconds - before)
    }

    /// When it next begins or ends after an instant; nil: never.
    public func change(after instant: Int64) -> Int64? {
        guard let current = occurrence(upTo: instant) else { return from }
        if current.until > instant { return current.until == .max ? nil : current.until }
        return everyNanoseconds.map { Self.sum(current.from, $0) }
    }

    /// The same on a clock that is ahead by this much.
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
