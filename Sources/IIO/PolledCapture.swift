internal import Devices
internal import Glibc
internal import Platform
internal import Readings

/// Samples by asking for each axis in turn, at moments of our own: for devices without a usable buffer.
///
/// The axes of one sample are read one after the other, and the kinds too, so they may stem from several measurements, no
/// further apart than three calls a kind; the stamp of all is the middle of them. And a value says nothing about its age: a sensor that has stalled goes on
/// answering with its last one, which cannot be told from a sensor at rest.
struct PolledCapture: ~Copyable {
    private let session: Session
    private let reason: CapturePlan.Reason
    private var interval: Int64
    private var due: Int64
    private var missed = 0
    private var missedSince: BootTime?
    private(set) var lastStamp: BootTime?
    private var conversions: [AxisConversion]
    /// Which of the kinds are asked for, by their place.
    private var wanted: [Int]
    // Reused from scan to scan.
    private var scan: [Measurement] = []

    /// How often in succession a device may fail to answer.
    private static let mostMisses = 3

    init(_ session: consuming Session, because reason: CapturePlan.Reason, _ pace: Pace, _ demand: Demand) {
        interval = Self.interval(session.sensor, reason, pace, demand)
        wanted = session.sensor.places(of: demand.kinds) ?? Array(session.sensor.parts.indices)
        conversions = session.sensor.parts.map(\.conversion)
        self.session = session
        self.reason = reason
        due = Clock.bootNanoseconds()
    }

    var readiness: Readiness { .at(BootTime(nanoseconds: due)) }

    /// Which kinds it delivers.
    var kinds: KindSet { KindSet(wanted.map { session.sensor.parts[$0].kind }) }

    var profile: DeviceProfile {
        session.sensor.profile(interval, "polled (\(reason.rawValue))", polledBecause: reason)
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        let before = Clock.bootNanoseconds()
        scan.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            for place in wanted {
                scan.append(.values(conversions[place].values(try session.sensor.parts[place].numbers())))
            }
        } catch {
            return try miss(error, at: BootTime(nanoseconds: before))
        }
        // The answers may be those of another sensor that was given its number.
        if let sighting = session.sensor.sighting, !sighting.appearance.isPresent {
            throw DeviceFault(unplugged: sighting.title)
        }
        let after = Clock.bootNanoseconds()
        schedule(after: after)
        // Half-way between asking and having the answers; never before the sample before.
        let middle = BootTime(nanoseconds: before + (after - before) / 2)
        let stamp = lastStamp.map { max(middle, $0 + 1) } ?? middle
        if let since = missedSince {
            intake.append(Gap(cause: .deviceLost, count: missed, from: since, until: max(since, stamp + -1)))
            (missed, missedSince) = (0, nil)
        }
        intake.append(scan: scan, at: stamp)
        lastStamp = stamp
    }

    /// A sample that could not be had is told before the next one; several in succession are a fault.
    private mutating func miss(_ error: SystemError, at instant: BootTime) throws(DeviceFault) {
        missed += 1
        missedSince = missedSince ?? instant
        if error.endsContext || error.isMissing || missed >= Self.mostMisses {
            throw session.sensor.fault(error)
        }
        schedule(after: Clock.bootNanoseconds())
    }

    /// The next due time; one that has passed is not made up for.
    private mutating func schedule(after now: Int64) { due = max(due.addingSaturating(interval), now) }

    /// Changes the pace, and which kinds are asked for; false where the device is better buffered at the new one, or where
    /// that takes another capture.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        guard let wanted = session.sensor.places(of: demand.kinds) else { return false }
        let pace: Pace
        do throws(SystemError) {
            pace = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds, by: .polling)
        } catch {
            throw session.sensor.fault(error)
        }
        let stillSlow = CapturePlan(isNetwork: true, intervalNanoseconds: pace.intervalNanoseconds)
        guard reason != .slow || stillSlow != .buffered else { return false }
        // What was in no buffer is not wanted any more.
        if reason == .unbuffered, wanted.allSatisfy({ session.sensor.parts[$0].canBeBuffered }) { return false }
        self.wanted = wanted
        interval = Self.interval(session.sensor, reason, pace, demand)
        due = min(due, Clock.bootNanoseconds().addingSaturating(interval))
        return true
    }

    /// A device that could be buffered keeps its own intervals, whichever way it is read; others are asked when wanted.
    private static func interval(
        _ sensor: Sensor, _ reason: CapturePlan.Reason, _ pace: Pace, _ demand: Demand
    ) -> Int64 {
        if reason == .slow { return pace.intervalNanoseconds }
        let wanted = demand.intervalNanoseconds ?? pace.reportedNanoseconds ?? 100_000_000
        return wanted.clamped(to: sensor.pollingNanoseconds)
    }
}

extension Sensor.Part {
    /// What the driver says at this moment, channel by channel.
    fileprivate func numbers() throws(SystemError) -> SIMD4<Double> {
        var numbers = SIMD4<Double>.zero
        if repetitions > 1 || isProcessed {
            let said = try channels.first?.numbers(in: isProcessed ? "input" : "raw") ?? []
            guard said.count == repetitions else { throw SystemError("read \(channels[0].id)", code: EINVAL) }
            for (place, number) in said.enumerated() { numbers[place] = number }
        } else {
            for (place, channel) in channels.enumerated() { numbers[place] = Double(try channel.raw()) }
        }
        return numbers
    }
}
