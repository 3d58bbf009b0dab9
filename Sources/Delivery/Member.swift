public import Readings

/// One client's place in a lane, and the account of what it got.
///
/// What is due to it ends up in exactly one of two columns: `delivered`, or `lost` and told as a gap.
public struct Member: Sendable {
    /// The client, by the token that its connection has.
    public let client: UInt64
    /// When it joined.
    public private(set) var since: BootTime
    /// What was measured or lost before this is not for it, even if it arrives later: one that joined gets no reading that
    /// is older than its interval, and one that takes every sample none of before.
    public private(set) var earliest: BootTime
    /// The number of the first sample that it may still get.
    public private(set) var nextSequence: UInt64
    /// Readings handed to its socket.
    public private(set) var delivered = 0
    /// Readings that it was due and will not get.
    public private(set) var lost = 0
    /// It came when the device was gone already.
    private var cameInOutage: Bool
    /// The time of the newest reading that was due to it, whether it got it or not.
    private(set) var lastDue: BootTime?
    /// What that one said; of a member of a lane, only where it did not come by the lane.
    private(set) var lastMeasurement: Measurement?
    /// What it is still to be told of the lost ones.
    public private(set) var untold = GapTally()

    init(client: UInt64, since: BootTime, intervalNanoseconds: Int64 = 0, newest: Sample?, inOutage: Bool = false) {
        cameInOutage = inOutage
        self.client = client
        self.since = since
        earliest = since + -intervalNanoseconds
        nextSequence = newest.map { $0.sequence + 1 } ?? 0
    }

    /// A member as it was in another process; all that comes from the device now is news to it.
    init(_ client: UInt64, _ standing: Standing) {
        self.init(client: client, since: standing.since, newest: nil, inOutage: standing.cameInOutage)
        delivered = standing.delivered
        lost = standing.lost
        for gap in standing.untold { untold.add(gap) }
    }

    /// What it has had, and is owed.
    func standing(nextDue: BootTime?) -> Standing {
        Standing(
            since: since, cameInOutage: cameInOutage, delivered: delivered, lost: lost, untold: untold.gaps,
            nextDue: nextDue)
    }

    /// Whether all readings of a reply are news to it, as they nearly always are.
    public func wantsAll(of portion: Portion) -> Bool { wants(portion.first) && wants(portion.last) }

    /// From which of a reply's readings on they are news to it; nil: none is.
    ///
    /// Others have been gathering them since before it came; those of before are not for it.
    public func firstWanted(of readings: [Sample]) -> Int? {
        guard let last = readings.last, wants(Portion.Place(last)) else { return nil }
        return (readings.lastIndex { !wants(Portion.Place($0)) } ?? -1) + 1
    }

    private func wants(_ place: Portion.Place) -> Bool {
        place.sequence >= nextSequence && place.timestamp >= earliest
    }

    /// Whether a sample is one for it, and newer than all that were due to it so far.
    func hasNotSeen(_ sample: Sample) -> Bool {
        sample.timestamp >= earliest && lastDue.map { $0 < sample.timestamp } ?? true
    }

    /// Whether a gap of the device's is a loss to it.
    ///
    /// One that came while the device was lost has been told so, and is not told of the loss once more.
    public func concerns(_ gap: Gap) -> Bool {
        earliest < gap.until && !(cameInOutage && gap.from < since && gap.cause.isOutage)
    }

    /// The lane's readings, or those of them that it wanted, are in its socket.
    public mutating func didDeliver(_ portion: Portion) {
        delivered += portion.count
        nextSequence = portion.last.sequence + 1
        lastDue = portion.last.timestamp
    }

    /// A reading that it got by itself is in its socket.
    public mutating func didDeliver(alone reading: Sample) {
        delivered += 1
        nextSequence = reading.sequence + 1
        lastDue = reading.timestamp
        lastMeasurement = reading.measurement
    }

    /// The socket was full: the readings are lost to it, save the newest, which follows when it drains.
    public mutating func didMiss(_ readings: ArraySlice<Sample>) {
        guard let last = readings.last else { return }
        lost += readings.count
        untold.addMissed(readings)
        lastDue = last.timestamp
        lastMeasurement = last.measurement
    }

    /// The last reading that went out by the lane was this one; the lane forgets it, or the member goes.
    mutating func remember(_ newest: Sample?) {
        if let newest, newest.timestamp == lastDue { lastMeasurement = newest.measurement }
    }

    /// The socket was full: the gap is told when it drains.
    public mutating func didNotLearn(of gap: Gap) { untold.add(gap) }

    /// The socket has drained: what to tell first, and whether the lane's newest reading goes with it after all.
    public mutating func catchUp(with newest: Sample?) -> (gaps: [Gap], reading: Sample?) {
        guard !untold.isEmpty else { return ([], nil) }
        let reading = newest.flatMap { wants(Portion.Place($0)) ? $0 : nil }
        let gaps = untold.take(deliveringNewest: reading != nil)
        if let reading {
            lost -= 1
            delivered += 1
            nextSequence = reading.sequence + 1
        }
        return (gaps, reading)
    }

    /// The device was opened anew and counts from 0.
    mutating func restartSequence() { nextSequence = 0 }

    /// The device is lost, and the member is there to lose it.
    mutating func loseDevice() { cameInOutage = false }

    /// Takes over the account from the lane that the client was in before.
    mutating func inherit(_ other: Member) {
        delivered += other.delivered
        lost += other.lost
        untold = other.untold
        since = other.since
        earliest = other.earliest
        cameInOutage = other.cameInOutage
        lastDue = other.lastDue
        lastMeasurement = other.lastMeasurement
    }
}
