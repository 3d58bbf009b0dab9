/// What is wrong with a device, and when: past, present and future.
public struct FaultTimeline: Equatable, Sendable {
    /// In no order; several may hold at once.
    public private(set) var spans: [FaultSpan]

    /// These faults.
    public init(_ spans: [FaultSpan] = []) { self.spans = spans }

    /// A fault more.
    public mutating func add(_ span: FaultSpan) { spans.append(span) }

    /// Ends what holds, and what would begin again, of the faults of a kind, or of all; returns whether any held.
    public mutating func end(_ kind: FaultKind?, at instant: Int64) -> Bool {
        var hasEnded = false
        for index in spans.indices where kind == nil || spans[index].fault.kind == kind {
            guard let current = spans[index].occurrence(upTo: instant) else { continue }
            hasEnded = hasEnded || current.until > instant
            spans[index] = FaultSpan(
                spans[index].fault, from: current.from, nanoseconds: min(current.until, instant) - current.from)
        }
        return hasEnded
    }

    /// Takes in an order; returns whether there was something to do.
    @discardableResult
    public mutating func take(_ order: FaultOrder, at instant: Int64, everyNanoseconds: Int64? = nil) -> Bool {
        switch order {
        case .begin(let fault, let nanoseconds):
            add(FaultSpan(fault, from: instant, nanoseconds: nanoseconds, everyNanoseconds: everyNanoseconds))
            return true
        // A gpsd that is down is plugged in again by the same word.
        case .end(.unplug):
            let wasUnplugged = end(.unplug, at: instant)
            return end(.gpsdRestart, at: instant) || wasUnplugged
        case .end(let kind): return end(kind, at: instant)
        }
    }

    /// Ends what holds without end of a kind, since another of that kind is about to take its place.
    public mutating func supersede(_ kind: FaultKind, at instant: Int64) {
        for index in spans.indices where spans[index].fault.kind == kind && spans[index].until == .max {
            spans[index].until = max(spans[index].from, instant)
        }
    }

    /// Forgets what was over before an instant and does not begin again, so that years of faults take no room.
    public mutating func forget(before instant: Int64) {
        spans.removeAll { $0.everyNanoseconds == nil && $0.until < instant && $0.from < instant }
    }

    /// What holds at an instant; of the same kind the one that was added last.
    public func faults(at instant: Int64) -> [Fault] {
        spans.reduce(into: []) { faults, span in
            guard span.holds(at: instant) else { return }
            faults.removeAll { $0.kind == span.fault.kind }
            faults.append(span.fault)
        }
    }

    /// Whether a fault of one of these kinds holds at an instant.
    public func holds(_ kinds: Set<FaultKind>, at instant: Int64) -> Bool {
        spans.contains { kinds.contains($0.fault.kind) && $0.holds(at: instant) }
    }

    /// Whether a fault of this kind holds at an instant.
    public func holds(_ kind: FaultKind, at instant: Int64) -> Bool {
        spans.contains { $0.fault.kind == kind && $0.holds(at: instant) }
    }

    /// When one of these begins for the last time behind an instant and up to another one; nil where none does.
    public func lastBeginning(of kinds: Set<FaultKind>, after first: Int64, upTo last: Int64) -> FaultSpan? {
        spans.filter { kinds.contains($0.fault.kind) && $0.beginnings(after: first, upTo: last) > 0 }
            .max { ($0.occurrence(upTo: last)?.from ?? 0) < ($1.occurrence(upTo: last)?.from ?? 0) }
    }

    /// How many samples are to be lost of those behind an instant and up to another one.
    public func losses(after first: Int64, upTo last: Int64) -> Int {
        spans.reduce(0) { sum, span in
            guard case .overflow(let count) = span.fault else { return sum }
            let times = span.beginnings(after: first, upTo: last)
            return sum + count * min(times, 1_000)
        }
    }

    /// When something next begins or ends behind an instant; nil where nothing does any more.
    public func change(after instant: Int64) -> Int64? { spans.compactMap { $0.change(after: instant) }.min() }

    /// The same on a clock that is ahead by so much.
    public func shifted(by nanoseconds: Int64) -> Self { Self(spans.map { $0.shifted(by: nanoseconds) }) }
}
