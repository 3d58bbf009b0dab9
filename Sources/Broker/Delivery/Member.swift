public import Readings

/// A client in a lane, and the account of what it received.
///
/// Each reading that is due to it is counted exactly once: as `delivered`, or as `lost` and reported in a gap.
public struct Member: Sendable {
    /// The client, or the derivation.
    public let client: Client
    /// Counted up with each member of its resource; those of a lane are in this order.
    var number = 0
    /// When the member joined the lane.
    public private(set) var since: BootTime
    /// What was measured or lost before this is not for it, even if it arrives later: a new member gets no reading that is older
    /// than its interval, and one that takes every sample gets none from before it joined.
    public private(set) var earliest: BootTime
    /// The number of the first sample that it may still get.
    public private(set) var nextSequence: UInt64
    /// Readings handed to its socket.
    public private(set) var delivered = 0
    /// Readings that were due and will not be delivered.
    ///
    /// They have been reported to the client, or will be.
    public private(set) var losses = Losses()
    /// Readings lost because the socket was full.
    public var lost: Int { losses[.slowClient] }
    /// Outages that began before this are no loss to the client, because it joined during them; nil: every outage is a loss.
    private var outagesFrom: BootTime?
    /// The time of the newest reading that was due to it, whether it got it or not.
    private(set) var lastDue: BootTime?
    /// The measurement of that reading, if the member got it alone and not through the lane.
    private(set) var lastMeasurement: Measurement?
    /// The losses that are still to be reported to it.
    public private(set) var pendingGaps = GapTally()

    /// A new member.
    ///
    /// If the device is lost, `outage` is the time of its last sample.
    init(
        client: Client, since: BootTime, intervalNanoseconds: Int64 = 0, newest: Sample?, outage: BootTime? = nil
    ) {
        // The client may have joined at the very instant of the loss.
        outagesFrom = outage.map { max(since, $0 + 1) }
        self.client = client
        self.since = since
        earliest = since + -intervalNanoseconds
        nextSequence = newest.map { $0.sequence + 1 } ?? 0
    }

    /// A member as it was elsewhere; everything that the device delivers from now on is new to it.
    ///
    /// The reading before the one that is due next was due an interval earlier.
    init(_ client: Client, _ account: ClientAccount, intervalNanoseconds: Int64 = 0) {
        self.init(client: client, since: account.since, newest: nil)
        lastDue = account.nextDue.map { $0 + -intervalNanoseconds }
        outagesFrom = account.outagesFrom
        delivered = account.delivered
        losses = account.losses
        for gap in account.pendingGaps { pendingGaps.add(gap) }
    }

    /// What the member has received, and what is still to be reported to it.
    func account(nextDue: BootTime?) -> ClientAccount {
        ClientAccount(
            since: since, outagesFrom: outagesFrom, delivered: delivered, losses: losses, pendingGaps: pendingGaps.gaps,
            nextDue: nextDue)
    }

    /// Whether all readings of a reply are new to it, as they nearly always are.
    @inlinable
    @inline(__always)
    public func wantsAll(of range: ReadingRange) -> Bool { wants(range.first) && wants(range.last) }

    /// The first of a reply's readings that is new to it; nil: none is.
    ///
    /// The batch may have been begun before the member joined; earlier readings are not for it.
    public func firstWanted(of readings: SampleList) -> Int? {
        guard let last = readings.last, wants(ReadingRange.Stamp(last)) else { return nil }
        return readings.lastIndex { !wants(ReadingRange.Stamp($0)) }.map { $0 + 1 } ?? readings.startIndex
    }

    @inlinable
    @inline(__always)
    func wants(_ stamp: ReadingRange.Stamp) -> Bool {
        stamp.sequence >= nextSequence && stamp.timestamp >= earliest
    }

    /// Whether a sample is meant for it, and newer than all that were due to it so far.
    func hasNotSeen(_ sample: Sample) -> Bool {
        sample.timestamp >= earliest && lastDue.map { $0 < sample.timestamp } ?? true
    }

    /// Whether a gap of the device is a loss to it.
    ///
    /// To a member that joined while the device was lost, the loss is not reported: it knows the state already.
    public func concerns(_ gap: Gap) -> Bool {
        guard earliest < gap.until else { return false }
        guard gap.cause.isOutage, let outagesFrom else { return true }
        return gap.from >= outagesFrom
    }

    /// The lane's readings, or its part of them, are in its socket.
    public mutating func didDeliver(_ range: ReadingRange) {
        assert(wantsAll(of: range), "a reading goes to a client twice, or is from before it came")
        delivered += range.count
        nextSequence = range.last.sequence + 1
        lastDue = range.last.timestamp
    }

    /// A reading that was sent to it alone is in its socket.
    public mutating func didDeliver(alone reading: Sample) {
        delivered += 1
        nextSequence = reading.sequence + 1
        lastDue = reading.timestamp
        lastMeasurement = reading.measurement
    }

    /// The socket was full: the readings are lost to it, except the newest, which follows when the socket drains.
    public mutating func didLose(_ readings: SampleList) {
        guard let last = readings.last else { return }
        losses[.slowClient] += readings.count
        pendingGaps.addMissed(readings)
        lastDue = last.timestamp
        lastMeasurement = last.measurement
    }

    /// This was the last reading that the lane sent; now the lane forgets it, or the member leaves.
    ///
    /// The sequence number is compared too, because a mean may have the timestamp of a sample that the member got alone.
    mutating func didSee(_ newest: Sample?) {
        guard let newest, newest.timestamp == lastDue, newest.sequence + 1 == nextSequence else { return }
        lastMeasurement = newest.measurement
    }

    /// A gap that concerns it was sent, along with the lane's readings.
    public mutating func didReport(_ gap: Gap) { losses.add(gap) }

    /// The socket was full: the gap is reported when it drains.
    public mutating func willReport(_ gap: Gap) {
        losses.add(gap)
        pendingGaps.add(gap)
    }

    /// The socket has drained: returns the gaps to report, and the lane's newest reading if it must follow.
    public mutating func catchUp(with newest: Sample?) -> (gaps: [Gap], reading: Sample?) {
        guard !pendingGaps.isEmpty else { return ([], nil) }
        let reading = newest.flatMap { wants(ReadingRange.Stamp($0)) ? $0 : nil }
        let gaps = pendingGaps.take(deliveringNewest: reading != nil)
        if let reading {
            losses[.slowClient] -= 1
            assert(losses[.slowClient] >= 0, "a reading is delivered after all that was never missed")
            delivered += 1
            nextSequence = reading.sequence + 1
        }
        return (gaps, reading)
    }

    /// The device was opened again and counts from 0.
    mutating func restartSequence() { nextSequence = 0 }

    /// The device is lost after this sample, while the member was subscribed.
    ///
    /// The gap of an earlier outage may still be pending. It remains no loss to a member that joined during that outage.
    mutating func loseDevice(after newest: BootTime) { outagesFrom = outagesFrom.map { min($0, newest) } }

    /// The device did not run since the last reading: no change is measured from that.
    mutating func forgetMeasurement() { lastMeasurement = nil }

    /// Takes over the account from the lane that the client was in before.
    mutating func inherit(_ other: Member) {
        delivered += other.delivered
        losses.add(other.losses)
        pendingGaps = other.pendingGaps
        since = other.since
        earliest = other.earliest
        outagesFrom = other.outagesFrom
        lastDue = other.lastDue
        lastMeasurement = other.lastMeasurement
    }
}
