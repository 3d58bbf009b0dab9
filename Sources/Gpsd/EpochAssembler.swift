internal import Readings

/// Makes one reading of each epoch, however many reports gpsd sends for it.
///
/// Pure: time is an argument. gpsd reports as sentences arrive. One epoch of a messy talker is up to 15 TPVs with the
/// same `time`: the first ones lack fields or have a speed that gpsd made up from positions, and `mode` may flap to 0 or
/// 1 and back, every second.
///
/// Reports of one time are one epoch: what is known in any of them is known, the later value and the last mode count.
/// It leaves when `EpochPace` takes it for whole, or when a report of another time comes. What comes for it afterwards
/// makes no second reading.
///
/// Reports without a time come from receivers without a fix, once or several times a cycle, but also as a flap in the
/// middle of a good epoch. They make a reading only when the next epoch is overdue, and only in a cycle that has none yet.
/// One with a position mostly has its time still to come, as when a fix returns. So it waits for as long as an epoch may
/// take, and gives way to the report of a time: gpsd repeats in it what it said without. What is left when the cycle is
/// over comes from a receiver without a clock.
struct EpochAssembler: Sendable {
    /// The pause that ends a cycle without time and position.
    static let timelessQuietNanoseconds: Int64 = 150_000_000
    /// How long the numbers of satellites are good for.
    static let skyNanoseconds: Int64 = 15_000_000_000
    /// How long reports of one time are one epoch while nothing is known of the receiver.
    private static let slowestNanoseconds: Int64 = 3_000_000_000

    /// Reports that came for epochs that had left.
    private(set) var lateReports = 0
    private var pending: Epoch?
    private var left: [Epoch] = []
    private var lastLeft: (arrival: BootTime, hasPosition: Bool)?
    private var pace = EpochPace()
    private var interval = IntervalEstimator()
    private var sky: (report: SkyReport, arrival: BootTime)?

    /// The interval between readings, once it is known.
    var intervalNanoseconds: Int64? { interval.intervalNanoseconds }

    /// When `expire` has something to do.
    var deadline: BootTime? { pending.map(deadline) }

    /// A report arrived; the readings that it finishes are appended.
    mutating func take(_ report: FixReport, at arrival: BootTime, into readings: inout [EpochReading]) {
        let location = FixValidation.location(of: report)
        let shape = ReportShape(report)
        if let time = report.time {
            take(location, shape, of: time, at: arrival, into: &readings)
        } else {
            takeTimeless(location.limitedToFix(), shape, at: arrival, into: &readings)
        }
    }

    /// The sky was reported; it counts for the epochs to come.
    mutating func take(_ report: SkyReport, at arrival: BootTime) {
        sky = report.used >= 0 && report.used <= report.visible ? (report, arrival) : nil
    }

    /// Time has come to here without a further report.
    mutating func expire(at now: BootTime, into readings: inout [EpochReading]) {
        if let pending, deadline(of: pending) <= now { leave(pending, into: &readings) }
    }

    /// Nothing more will come.
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
            // A timeless cycle that was not due yet turns out to be a flap, or the beginning, of this epoch.
            if isWhole(epoch, before: location, of: time, at: arrival) { leave(epoch, into: &readings) }
        }
        keepOrLeave(Epoch(time: time, location: location, shape: shape, arrival: arrival), into: &readings)
    }

    /// Whether an epoch stands by itself when a report of another time comes.
    ///
    /// A time without a fix is no epoch if the fix that comes next is of an earlier time: some receivers tell their clock's
    /// next second before the fix of this one.
    private func isWhole(_ epoch: Epoch, before location: Location, of time: FixTime, at arrival: BootTime) -> Bool {
        guard let earlier = epoch.time else { return deadline(of: epoch) <= arrival }
        guard epoch.location.fix == .none, location.fix != .none else { return true }
        return time.nanoseconds(since: earlier).map { $0 > 0 || $0 < -2 * cycle } ?? true
    }

    private mutating func takeTimeless(
        _ location: Location, _ shape: ReportShape, at arrival: BootTime, into readings: inout [EpochReading]
    ) {
        if let pending, pending.time == nil, deadline(of: pending) <= arrival { leave(pending, into: &readings) }
        guard var epoch = pending else {
            if !isTold(location, at: arrival) {
                pending = Epoch(time: nil, location: location, shape: shape, arrival: arrival)
            }
            return
        }
        switch (epoch.location.hasPosition, location.hasPosition) {
        case _ where epoch.time != nil: epoch.touch(arrival)
        // Within a cycle, no fix beside a position is a flap.
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
        var location = epoch.location.limitedToFix()
        if let sky, epoch.lastArrival - sky.arrival <= Self.skyNanoseconds {
            location.satellitesUsed = sky.report.used
            location.satellitesVisible = sky.report.visible
            location.satellites = sky.report.satellites
            if location.fix != .none {
                location.horizontalDilution = sky.report.horizontalDilution
                location.verticalDilution = sky.report.verticalDilution
                location.positionDilution = sky.report.positionDilution
            }
        }
        readings.append(EpochReading(location: location, timestamp: epoch.firstArrival))
        lastLeft = (epoch.firstArrival, location.hasPosition)
        guard let time = epoch.time else { return }
        pace.note(epoch)
        interval.take(time, at: epoch.firstArrival)
        // Two, for now and then a report of the epoch before comes after the first of the next.
        if left.count == 2 { left.removeFirst() }
        left.append(epoch)
    }

    /// Whether the reading of this cycle has left and says as much.
    private func isTold(_ location: Location, at arrival: BootTime) -> Bool {
        guard let lastLeft, arrival - lastLeft.arrival < longest else { return false }
        return lastLeft.hasPosition || !location.hasPosition
    }

    /// Whether an epoch of this time has left; not, where a receiver's clock stands still and it comes a cycle later.
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

    /// Until when a report can belong to an epoch.
    private func lastInstant(of epoch: Epoch) -> BootTime {
        epoch.firstArrival + (knownCycle.map { $0 / 2 * 3 } ?? Self.slowestNanoseconds)
    }

    /// How long a cycle without time may take.
    private var longest: Int64 { cycle / 10 * 9 }

    /// From one epoch to the next, once that is known: by the times of the fixes, or by how a recording is played if that
    /// is slower.
    private var knownCycle: Int64? { interval.cycleNanoseconds }

    /// The same; a second, which most receivers have, until it is known.
    private var cycle: Int64 { knownCycle ?? 1_000_000_000 }
}
