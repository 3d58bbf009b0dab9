internal import Readings

/// What a device's rate is where it refuses some, or lies about it.
enum RateFaults {
    /// What it says that it runs at.
    ///
    /// One that is refused leaves it at what it ran at; at its start it takes the nearest shorter one that it does not
    /// refuse, else the nearest longer one.
    static func interval(
        for demand: Demand, _ script: MockScript, _ timeline: FaultTimeline, now: BootTime, current: Int64?
    ) -> Int64 {
        let wanted = script.interval(for: demand)
        let refusals = timeline.faults(at: now.nanoseconds).compactMap { fault in
            if case .refuse(let nanoseconds) = fault { Refusal(nanoseconds: nanoseconds) } else { nil }
        }
        guard let refusal = refusals.first, refusal.concerns(wanted), wanted != current else { return wanted }
        if let current { return current }
        let others = script.offeredNanoseconds.filter { !refusal.concerns($0) }
        return others.last { $0 < wanted } ?? others.first ?? script.ownNanoseconds
    }

    /// What it runs at in truth, where it lies about it.
    static func lie(_ timeline: FaultTimeline, now: BootTime) -> Int64? {
        for case .lie(let nanoseconds) in timeline.faults(at: now.nanoseconds) { return nanoseconds }
        return nil
    }

    private struct Refusal {
        let nanoseconds: Int64?
        func concerns(_ interval: Int64) -> Bool { nanoseconds == nil || nanoseconds == interval }
    }
}
