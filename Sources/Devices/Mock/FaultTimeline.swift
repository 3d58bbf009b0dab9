/// The past, present and future faults of a device.
public struct FaultTimeline: Equatable, Sendable {
    /// The faults, unordered; several may be present at once.
    public private(set) var spans: [FaultSpan]

    /// Creates a timeline of faults.
    public init(_ spans: [FaultSpan] = []) { self.spans = spans }

    /// Adds a fault.
    public mutating func add(_ span: FaultSpan) { spans.append(span) }

    /// Ends present and repeating faults of a kind, or of all kinds; returns whether any was present.
    public mutating func end(_ kind: FaultKind?, at instant: Int64) -> Bool {
        var hasEnded = false
        for index in spans.indices where kind == nil || spans[index].fault.kind == kind {
            guard let current = spans[index].occurrence(upTo: instant) else { continue }
            assert(current.from <= instant, "an occurrence up to an instant has begun by then")
            hasEnded = hasEnded || current.until > instant
            spans[index] = FaultSpan(
                spans[index].fault, from: current.from, nanoseconds: min(current.until, instant) - current.from)
        }
        return hasEnded
    }

    /// Carries out an order; returns whether anything changed.
    @discardableResult
    public mutating func take(_ order: FaultOrder, at instant: Int64, everyNanoseconds: Int64? = nil) -> Bool {
        switch order {
        case .begin(let fault, let nanoseconds):
            add(FaultSpan(fault, from: instant, nanoseconds: nanoseconds, everyNanoseconds: everyNanoseconds))
            return true
        // `replug` also brings back a gpsd that is down.
        case .end(.unplug):
            let wasUnplugged = end(.unplug, at: instant)
            return end(.gpsdRestart, at: instant) || wasUnplugged
        case .end(let kind): return end(kind, at: instant)
        }
    }

    /// Ends the endless faults of a kind, because another one of the kind replaces them.
    public mutating func supersede(_ kind: FaultKind, at instant: Int64) {
        for index in spans.indices where spans[index].fault.kind == kind && spans[index].until == .max {
            spans[index].until = max(spans[index].from, instant)
        }
    }

    /// Removes faults that ended before an instant and do not repeat, so that memory stays bounded.
    public mutating func forget(before instant: Int64) {
        spans.removeAll { $0.everyNanoseconds == nil && $0.until < instant && $0.from < instant }
    }

    /// The faults at an instant; of each kind the one that was added last.
    public func faults(at instant: Int64) -> [Fault] {
        spans.reduce(into: []) { faults, span in
            guard span.holds(at: instant) else { return }
            faults.removeAll { $0.kind == span.fault.kind }
            faults.append(span.fault)
        }
    }

    /// Whether a fault of one of these kinds is present at an instant.
    public func holds(_ kinds: Set<FaultKind>, at instant: Int64) -> Bool {
        spans.contains { kinds.contains($0.fault.kind) && $0.holds(at: instant) }
    }

    /// Whether a fault of this kind is present at an instant.
    public func holds(_ kind: FaultKind, at instant: Int64) -> Bool {
        spans.contains { $0.fault.kind == kind && $0.holds(at: instant) }
    }

    /// The fault among these kinds that last began after one instant and up to another; nil if there is none.
    public func lastBeginning(of kinds: Set<FaultKind>, after first: Int64, upTo last: Int64) -> FaultSpan? {
        spans.filter { kinds.contains($0.fault.kind) && $0.beginnings(after: first, upTo: last) > 0 }
            .max { ($0.occurrence(upTo: last)?.from ?? 0) < ($1.occurrence(upTo: last)?.from ?? 0) }
    }

    /// The number of samples lost between two instants.
    public func losses(after first: Int64, upTo last: Int64) -> Int {
        spans.reduce(0) { sum, span in
            guard case .overflow(let count) = span.fault else { return sum }
            let times = span.beginnings(after: first, upTo: last)
            return sum + count * min(times, 1_000)
        }
    }

    /// When a fault next begins or ends after an instant; nil: never.
    public func change(after instant: Int64) -> Int64? { spans.compactMap { $0.change(after: instant) }.min() }

    /// The same on a clock that is ahead by this much.
    public func shifted(by nanoseconds: Int64) -> Self { Self(spans.map { $0.shifted(by: nanoseconds) }) }
}
