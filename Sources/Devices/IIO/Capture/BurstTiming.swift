internal import Readings

/// The times of scans that arrive in bursts: when each was measured, what is missing between them, and how fast they come.
struct BurstTiming {
    private var source: StampSource
    private var repair: TimestampRepair
    private var overflow: OverflowDetector
    private var meter = PaceMeter()
    /// Whether the stamps of the present burst are the device's own; of others nothing can be learnt.
    private var isOwn = false

    /// For a device started at an instant.
    init(_ source: StampSource, startedAt instant: Int64, periodNanoseconds: Int64) {
        self.source = source
        repair = TimestampRepair(startedAt: instant)
        overflow = OverflowDetector(periodNanoseconds: periodNanoseconds)
    }

    /// Turns the stamps of a burst into boot time, and returns the gaps in it, each with the index of the scan that it
    /// precedes.
    mutating func settle(
        _ stamps: inout [Int64], arrival: Int64, periodNanoseconds: Int64
    ) -> [(index: Int, gap: Gap)] {
        overflow.move(by: source.translate(&stamps, arrival: arrival))
        isOwn = repair.repair(&stamps, stamped: source.hasStamps, arrival: arrival, period: periodNanoseconds)
        if isOwn { return overflow.gaps(in: stamps) }
        overflow.forget()
        meter.restart()
        return []
    }

    /// The periods that have proved to be the device's, with these further stamps between which nothing is missing.
    mutating func periods(of stamps: ArraySlice<Int64>) -> [Int64] { isOwn ? meter.periods(with: stamps) : [] }

    /// Something is missing before the next scan.
    mutating func interrupt() { meter.restart() }

    /// The device was set to another pace.
    mutating func restart(periodNanoseconds: Int64, at now: Int64) {
        meter.restart()
        overflow.restart(periodNanoseconds: periodNanoseconds, at: now)
    }
}
