internal import Readings

/// The rate of a device that refuses some rates or lies about its own.
enum RateFaults {
    /// The interval that the device reports.
    ///
    /// If the demanded one is refused, it keeps the present one; at the start it takes the next shorter one that it
    /// does not refuse, else the next longer one.
    static func interval(
        for demand: Demand, _ script: MockScript, _ timeline: FaultTimeline, now: BootTime, current: Int64?
    ) -> Int64 {
        let wanted = script.interval(for: demand)
        if wanted == current { return wanted }
        // Without an interval it refuses all.
        for case .refuse(let refused) in timeline.faults(at: now.nanoseconds)
        where refused == nil || refused == wanted {
            if let current { return current }
            let others = refused == nil ? [] : script.offeredNanoseconds.filter { $0 != refused }
            return others.last { $0 < wanted } ?? others.first ?? script.ownNanoseconds
        }
        return wanted
    }

    /// The true interval if the device lies about it.
    static func lie(_ timeline: FaultTimeline, now: BootTime) -> Int64? {
        for case .lie(let nanoseconds) in timeline.faults(at: now.nanoseconds) { return nanoseconds }
        return nil
    }
}
