/// For how long a channel has had no reading, and for how long that is normal.
struct Silence {
    /// So many intervals without a reading are a silence.
    private static let intervals: Int64 = 5
    /// So much later a reading may come, since hosts and devices are busy at times.
    private static let reachNanoseconds: Int64 = 1_000_000_000

    /// Whether it has lasted for too long.
    var isSilent = false
    /// When the last reading was received, or could first be expected.
    private var since: BootTime
    private var newest: BootTime?
    /// From the last reading but one to the last: a device may be slower than what it was asked for.
    private var spacingNanoseconds: Int64 = 0

    init(since: BootTime) { self.since = since }

    /// Readings can be expected from now on; a silence is over if listeners are told the resource's state now.
    mutating func begin(_ now: BootTime, isStateTold: Bool) {
        since = max(since, now)
        if isStateTold { isSilent = false }
    }

    /// A reading was received.
    mutating func didReceive(_ timestamp: BootTime, now: BootTime) {
        isSilent = false
        since = now
        spacingNanoseconds = newest.map { max(0, timestamp - $0) } ?? 0
        newest = timestamp
    }

    /// When a silence becomes too long.
    func ends(after grant: Grant) -> BootTime {
        let interval = [grant.interval, grant.deviceInterval ?? .zero].map(\.clampedNanoseconds).max() ?? 0
        let (normal, overflow) = max(interval, spacingNanoseconds).multipliedReportingOverflow(by: Self.intervals)
        return since + (overflow ? .max : normal) + grant.batch.clampedNanoseconds + Self.reachNanoseconds
    }
}
