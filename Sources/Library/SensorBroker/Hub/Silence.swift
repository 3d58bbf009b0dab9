/// For how long a channel has had no reading, and for how long that is normal.
struct Silence {
    /// So many intervals without a reading are a silence.
    private static let intervals: Int64 = 5
    /// So much later a reading may come, since hosts and devices are busy at times.
    private static let reachNanoseconds: Int64 = 1_000_000_000

    /// Whether it has lasted for too long.
    private(set) var isSilent = false
    /// When the last reading was received, or could first be expected.
    private var since: BootTime
    private var newest: BootTime?
    /// From the last reading but one to the last: a device may be slower than what it was asked for.
    private var spacingNanoseconds: Int64 = 0

    init(since: BootTime) { self.since = since }

    /// Readings can be expected from now on; a silence is over if listeners are sent the resource's state now.
    mutating func begin(_ now: BootTime, isStateSent: Bool) {
        since = max(since, now)
        if isStateSent { isSilent = false }
    }

    /// The silence has lasted for too long.
    mutating func setSilent() { isSilent = true }

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

/// When to look for channels that have become silent.
///
/// There may be a thousand channels, and this is asked after each reading: a reading only puts the time off.
struct SilenceWatch {
    private enum Check {
        /// The instant has to be worked out.
        case unknown
        /// Not before this; nil: never.
        case at(BootTime?)
    }

    private var check = Check.unknown

    /// Something else than a reading has changed.
    mutating func reset() { check = .unknown }

    /// When some channel may count as silent if nothing comes; nil: none will.
    mutating func deadline(_ channels: Channels, _ resources: ResourceList) -> BootTime? {
        if case .at(let instant) = check { return instant }
        let instant = channels.all.reduce(nil) { BootTime.earlier($0, $1.value.silentAt(resources)) }
        check = .at(instant)
        return instant
    }

    /// A channel has got a reading.
    mutating func didReceive(_ channel: Channel, _ resources: ResourceList) {
        guard case .at(let instant) = check, let next = channel.silentAt(resources) else { return }
        check = .at(BootTime.earlier(instant, next))
    }

    /// The channels that have become silent by now.
    mutating func due(_ now: BootTime, _ channels: Channels, _ resources: ResourceList) -> [ChannelID] {
        guard let deadline = deadline(channels, resources), now >= deadline else { return [] }
        check = .unknown
        return channels.all.filter { $0.value.silentAt(resources).map { now >= $0 } ?? false }.map(\.key)
    }
}
