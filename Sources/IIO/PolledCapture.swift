internal import Devices
internal import Glibc
internal import Platform
internal import Readings

/// Samples read by asking for each axis in turn, at moments that the daemon chooses: for devices without a usable
/// buffer.
///
/// The axes of one sample are read one after the other, and so are the kinds, so they may come from several
/// measurements, no further apart than three calls per kind; all get the middle of that time as their stamp. A polled
/// value has no age: a stalled sensor goes on answering with its last value, which cannot be told from a sensor at
/// rest.
struct PolledCapture: ~Copyable {
    private let session: Session
    private let reason: CapturePlan.Reason
    private var interval: Int64
    private var due: Int64
    private var missed = 0
    private var missedSince: BootTime?
    private(set) var lastStamp: BootTime?
    private var conversions: [AxisConversion]
    /// Which of the kinds are polled, by their place.
    private var wanted: [Int]
    // Reused from scan to scan.
    private var scan: [Measurement] = []

    /// How many times in a row a device may fail to answer.
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

    /// The kinds that are delivered.
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
        // The answers may come from another sensor that was given the device's number.
        if let sighting = session.sensor.sighting, !sighting.appearance.isPresent {
            throw DeviceFault(unplugged: sighting.title)
        }
        let after = Clock.bootNanoseconds()
        schedule(after: after)
        // Half-way between the question and the answers; always after the previous sample.
        let middle = BootTime(nanoseconds: before + (after - before) / 2)
        let stamp = lastStamp.map { max(middle, $0 + 1) } ?? middle
        if let since = missedSince {
            intake.append(Gap(cause: .deviceLost, count: missed, from: since, until: max(since, stamp + -1)))
            (missed, missedSince) = (0, nil)
        }
        intake.append(scan: scan, at: stamp)
        lastStamp = stamp
    }

    /// A sample that could not be read is reported before the next one; several in a row are a fault.
    private mutating func miss(_ error: SystemError, at instant: BootTime) throws(DeviceFault) {
        missed += 1
        missedSince = missedSince ?? instant
        if error.endsContext || error.isMissing || missed >= Self.mostMisses {
            throw session.sensor.fault(error)
        }
        schedule(after: Clock.bootNanoseconds())
    }

    /// The next due time; missed ones are not made up for.
    private mutating func schedule(after now: Int64) { due = max(due.addingSaturating(interval), now) }

    /// Changes the pace and the polled kinds; false if the device is better buffered at the new pace, or if that takes
    /// another capture.
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
        // The kind that no buffer could deliver is not wanted any more.
        if reason == .unbuffered, wanted.allSatisfy({ session.sensor.parts[$0].canBeBuffered }) { return false }
        self.wanted = wanted
        interval = Self.interval(session.sensor, reason, pace, demand)
        due = min(due, Clock.bootNanoseconds().addingSaturating(interval))
        return true
    }

    /// A device that could be buffered keeps its own intervals, however it is read; any other is polled at the wanted
    /// interval.
    private static func interval(
        _ sensor: Sensor, _ reason: CapturePlan.Reason, _ pace: Pace, _ demand: Demand
    ) -> Int64 {
        if reason == .slow { return pace.intervalNanoseconds }
        let wanted = demand.intervalNanoseconds ?? pace.reportedNanoseconds ?? 100_000_000
        return wanted.clamped(to: sensor.pollingNanoseconds)
    }
}

extension Sensor.Part {
    /// The driver's values at this moment, channel by channel.
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
