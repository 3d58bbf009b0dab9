internal import Readings

/// Makes one reading of each epoch, however many reports gpsd sends for it.
///
/// Pure: time is an argument. gpsd reports while sentences arrive. A receiver that sends many sentences may cause
/// more than 20 TPVs with the same `time` in an epoch: the first of them lack fields or have a speed that gpsd computed
/// from positions, and `mode` may flap to 0 or 1 and back, every second.
///
/// Reports with the same time form one epoch. A value that any of them has is known; the latest value and the latest
/// mode count. The epoch's reading is delivered when `EpochPace` considers it complete, or when a report with another
/// time arrives. Later reports of the epoch do not make a second reading.
///
/// Reports without a time come from receivers without a fix, once or several times a cycle, but also as a flap within a
/// good epoch. They make a reading only if the next epoch is overdue and the cycle has no reading yet. If such a report
/// has a position, its time usually follows, as when a fix returns. It therefore waits for as long as an epoch may
/// take, and is dropped for a report with a time, in which gpsd repeats the same values. A report that is left at the
/// end of the cycle comes from a receiver without a clock.
struct EpochAssembler: Sendable {
    /// The pause that ends a cycle without time and position.
    static let timelessQuietNanoseconds: Int64 = 150_000_000
    /// How long reports of one time form one epoch while the receiver's interval is unknown.
    private static let slowestNanoseconds: Int64 = 3_000_000_000

    /// Reports that arrived after their epoch had been delivered.
    private(set) var lateReports = 0
    private var pending: Epoch?
    private var left: [Epoch] = []
    private var lastLeft: (arrival: BootTime, hasPosition: Bool)?
    private var pace = EpochPace()
    private var interval = IntervalEstimator()
    private var sky = Sky()
    /// The one next to the first report of the pending epoch, and the latest one, which may be next to that of the following.
    private var attitudes: [(attitude: Attitude, arrival: BootTime)] = []

    /// The interval between readings; nil while it is unknown.
    var intervalNanoseconds: Int64? { interval.intervalNanoseconds }

    /// When `expire` must be called.
    var deadline: BootTime? { pending.map(deadline) }

    /// Takes a report, and appends the readings that it completes; returns how many of its values are impossible.
    @discardableResult
    mutating func take(_ report: FixReport, at arrival: BootTime, into readings: inout [EpochReading]) -> Int {
        var check = ValueCheck()
        var location = FixValidation.location(of: report, &check)
        let shape = ReportShape(report)
        if let time = report.time {
            take(location, shape, of: time, at: arrival, into: &readings)
        } else {
            location.limitToFix()
            takeTimeless(location, shape, at: arrival, into: &readings)
        }
        return check.refused
    }

    /// Takes a report of the sky; it applies to later epochs.
    mutating func take(_ report: SkyReport, at arrival: BootTime) {
        sky.take(report, at: arrival, cycleNanoseconds: cycle)
    }

    /// Takes a report of the attitude, which applies to the epoch next to it; returns how many of its values are impossible.
    @discardableResult
    mutating func take(_ report: AttitudeReport, at arrival: BootTime) -> Int {
        var check = ValueCheck()
        let nearest = nearestAttitude(to: pending?.firstArrival ?? arrival)
        attitudes = [nearest, (Attitude(report, &check), arrival)].compactMap { $0 }
        return check.refused
    }

    /// Delivers readings that are due now without a further report.
    mutating func expire(at now: BootTime, into readings: inout [EpochReading]) {
        if let pending, deadline(of: pending) <= now { leave(pending, into: &readings) }
    }

    /// Delivers the pending epoch at the end.
    mutating func finish(into readings: inout [EpochReading]) {
        if let pending, pending.time != nil || pending.location.hasPosition { leave(pending, into: &readings) }
        pending = nil
    }

    private mutating func take(
        _ location: Location, _ shape: ReportShape, of time: FixTime, at arrival: BootTime,
        into readings: inout [EpochReading]
    ) {
        if isLate(time, at: arrival) { return noteLate(time, at: arrival) }
        if var epoch = pending {
            if epoch.time == time, arrival <= lastInstant(of: epoch) {
                epoch.merge(location, shape: shape, arrival: arrival)
                return keepOrLeave(epoch, into: &readings)
            }
            // A timeless cycle that was not due yet was a flap within this epoch, or its beginning.
            if isWhole(epoch, before: location, of: time, at: arrival) { leave(epoch, into: &readings) }
        }
        keepOrLeave(Epoch(time: time, location: location, shape: shape, arrival: arrival), into: &readings)
    }

    /// Whether an epoch is complete when a report of another time arrives.
    ///
    /// A time without a fix is not an epoch if the next fix has an earlier time: some receivers announce the next
    /// second of their clock before the fix of the present one.
    private func isWhole(_ epoch: Epoch, before location: Location, of time: FixTime, at arrival: BootTime) -> Bool {
        guard let earlier = epoch.time else { return deadline(of: epoch) <= arrival }
        guard epoch.location.fix == .noPosition, location.fix != .noPosition else { return true }
        return time.nanoseconds(since: earlier).map { $0 > 0 || $0 < -2 * cycle } ?? true
    }

    private mutating func takeTimeless(
        _ location: Location, _ shape: ReportShape, at arrival: BootTime, into readings: inout [EpochReading]
    ) {
        if let pending, pending.time == nil, deadline(of: pending) <= arrival { leave(pending, into: &readings) }
        guard var epoch = pending else {
            if !isDelivered(location, at: arrival) {
                pending = Epoch(time: nil, location: location, shape: shape, arrival: arrival)
            }
            return
        }
        switch (epoch.location.hasPosition, location.hasPosition) {
        case _ where epoch.time != nil: epoch.touch(arrival)
        // Within a cycle, a report without a fix beside a position is a flap.
        case (true, false): epoch.touch(arrival)
        case (false, true): epoch = Epoch(time: nil, location: location, shape: shape, arrival: arrival)
        case (true, true), (false, false): epoch.merge(location, shape: shape, arrival: arrival)
        }
        pending = epoch
    }

    private mutating func keepOrLeave(_ epoch: Epoch, into readings: inout [EpochReading]) {
        if pace.quietNanoseconds(after: epoch.shape, reports: epoch.reports, interval: knownCycle) == 0 {
            leave(epoch, into: &readings)
        } else {
            pending = epoch
        }
    }

    private mutating func leave(_ epoch: Epoch, into readings: inout [EpochReading]) {
        pending = nil
        var location = epoch.location
        location.limitToFix()
        sky.put(into: &location, at: epoch.lastArrival)
        // One that is more than about a cycle away is not of this epoch.
        if let nearest = nearestAttitude(to: epoch.firstArrival),
            Self.distance(nearest.arrival, epoch.firstArrival) <= cycle / 4 * 5
        {
            nearest.attitude.put(into: &location)
        }
        assert(epoch.firstArrival <= epoch.lastArrival)
        readings.append(EpochReading(measurement: .location(location), timestamp: epoch.firstArrival))
        lastLeft = (epoch.firstArrival, location.hasPosition)
        guard let time = epoch.time else { return }
        pace.note(epoch)
        interval.take(time, at: epoch.firstArrival)
        // Two are remembered, since a report of the previous epoch occasionally arrives after the first one of the
        // next.
        if left.count == 2 { left.removeFirst() }
        left.append(epoch)
        assert(left.count <= 2 && attitudes.count <= 2)
    }

    private func nearestAttitude(to time: BootTime) -> (attitude: Attitude, arrival: BootTime)? {
        attitudes.min { Self.distance($0.arrival, time) < Self.distance($1.arrival, time) }
    }

    private static func distance(_ one: BootTime, _ other: BootTime) -> Int64 { max(one - other, other - one) }

    /// Whether this cycle's reading has been delivered and contains as much.
    private func isDelivered(_ location: Location, at arrival: BootTime) -> Bool {
        guard let lastLeft, arrival - lastLeft.arrival < longest else { return false }
        return lastLeft.hasPosition || !location.hasPosition
    }

    /// Whether the epoch of this time has been delivered already.
    ///
    /// False for a receiver whose clock stands still, if the report comes a cycle later.
    private func isLate(_ time: FixTime, at arrival: BootTime) -> Bool {
        left.contains { $0.time == time && arrival <= lastInstant(of: $0) }
    }

    private mutating func noteLate(_ time: FixTime, at arrival: BootTime) {
        lateReports += 1
        if pending?.time == nil { pending = nil }
        guard let last = left.indices.last, left[last].time == time else { return }
        pace.noteLate(after: left[last].shape, pauseNanoseconds: arrival - left[last].lastArrival)
        left[last].touch(arrival)
    }

    private func deadline(of epoch: Epoch) -> BootTime {
        if epoch.time != nil {
            return min(
                epoch.lastArrival
                    + pace.quietNanoseconds(after: epoch.shape, reports: epoch.reports, interval: knownCycle),
                lastInstant(of: epoch))
        }
        let end =
            epoch.location.hasPosition
            ? epoch.firstArrival + longest
            : min(epoch.lastArrival + Self.timelessQuietNanoseconds, epoch.firstArrival + cycle)
        return left.last.map { max(end, $0.firstArrival + cycle / 2 * 3) } ?? end
    }

    /// The last instant at which a report can belong to an epoch.
    private func lastInstant(of epoch: Epoch) -> BootTime {
        // Within a whole cycle, so that a leap second and the second that follows it, whose times are equal, are two.
        if epoch.time?.mayRepeat == true { return epoch.firstArrival + cycle / 4 * 3 }
        return epoch.firstArrival + (knownCycle.map { $0 / 2 * 3 } ?? Self.slowestNanoseconds)
    }

    /// How long a cycle without a time may take.
    private var longest: Int64 { cycle / 10 * 9 }

    /// The time from one epoch to the next, if it is known: from the times of the fixes, or from the pace of a replayed
    /// log if that is slower.
    private var knownCycle: Int64? { interval.cycleNanoseconds }

    /// The same; one second, as most receivers have, while it is unknown.
    private var cycle: Int64 { knownCycle ?? 1_000_000_000 }
}

/// A complete epoch, ready for delivery.
struct EpochReading: Equatable, Sendable {
    /// Always a location, wrapped once, so that it is not copied again.
    let measurement: Measurement
    /// When the epoch's first report arrived: that is closest to the instant of the fix, and has the least jitter.
    let timestamp: BootTime
}
