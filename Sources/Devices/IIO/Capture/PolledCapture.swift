internal import Devices
internal import Glibc
internal import Platform
internal import Readings

/// Samples read by asking for each axis in turn, at moments that the daemon chooses: for devices without a usable
/// buffer.
///
/// The axes of one sample are read one after the other, and so are the kinds, so they may come from several
/// measurements, no further apart than three calls per kind; all get the middle of that time as their stamp. A polled
/// value has no age: a stalled sensor goes on answering with its last value, which looks like a sensor at
/// rest.
///
/// A device that can report changes by events is left alone until it does, as long as nobody needs every sample.
struct PolledCapture: Capture, ~Copyable {
    private let session: Session
    private let counters: CounterSwitches
    private let reason: PollingReason
    private var interval: Int64
    private var due: Int64
    private var missed = 0
    private var missedSince: BootTime?
    private(set) var lastStamp: BootTime?
    private var conversions: [AxisConversion]
    /// Which of the kinds are polled, by their index.
    private var wanted: [Int]
    /// nil while the device is polled at the interval.
    private var alarm: ChangeAlarm?
    /// Why there is no alarm although the device has thresholds.
    private var refusal: String?
    // Reused from scan to scan.
    private var scan: [Measurement] = []
    private var numbers: [Double] = []

    /// How many times in a row a device may fail to answer.
    private static let mostMisses = 3

    /// Turns on what counts only then.
    init(
        _ session: consuming Session, because reason: PollingReason, _ pace: Pace, _ demand: Demand
    ) throws(DeviceFault) {
        let counters: CounterSwitches
        do throws(SystemError) { counters = try CounterSwitches(of: session.sensor.parts) } catch {
            throw session.sensor.fault(error)
        }
        self.init(withoutAlarm: session, counters, reason, pace, demand)
        setAlarm(demand)
    }

    deinit { counters.restore() }

    // Where constants get their values, Swift 6.2 refuses calls of mutating methods.
    private init(
        withoutAlarm session: consuming Session, _ counters: CounterSwitches, _ reason: PollingReason,
        _ pace: Pace,
        _ demand: Demand
    ) {
        self.counters = counters
        interval = Self.interval(session.sensor, reason, pace, demand)
        wanted = session.sensor.indices(of: demand.kinds) ?? Array(session.sensor.parts.indices)
        conversions = session.sensor.parts.map(\.conversion)
        self.session = session
        self.reason = reason
        due = Clock.bootNanoseconds()
    }

    var readiness: Readiness {
        switch alarm {
        case .some(let alarm): alarm.readiness
        case nil: .at(BootTime(nanoseconds: due))
        }
    }

    var bufferDelivered: Bool? { nil }

    var kinds: KindSet { KindSet(of: wanted.map { session.sensor.parts[$0].quantity }) }

    var profile: DeviceProfile {
        let way = hasAlarm ? "polled on events" : "polled"
        let words = [reason.rawValue] + (refusal.map { ["no events: \($0)"] } ?? [])
        var profile = session.sensor.profile(
            interval, "\(way) (\(words.joined(separator: "; ")))", polledBecause: reason)
        profile.restNanoseconds = hasAlarm ? EventRhythm.restNanoseconds : nil
        return profile
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        let before = Clock.bootNanoseconds()
        guard isAwake(at: before, &intake) else { return }
        wakeUp(at: before)
        scan.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            for index in wanted {
                let read = try session.sensor.parts[index].numbers()
                numbers.append(read.x)
                scan.append(.values(conversions[index].values(read)))
            }
        } catch {
            // Some drivers let nobody read a value while its events are on.
            if hasAlarm, !error.endsContext, !error.isMissing {
                giveUp("with them on, \(error)", &intake)
                return try self.read(into: &intake)
            }
            return try miss(error, at: BootTime(nanoseconds: before))
        }
        // The answers may come from another sensor that was given the device's number.
        if let sighting = session.sensor.sighting, !sighting.appearance.isPresent {
            throw DeviceFault(unplugged: sighting.title)
        }
        let after = Clock.bootNanoseconds()
        assert(after >= before)
        assert(scan.count == wanted.count && numbers.count == wanted.count, "a scan has each wanted kind")
        schedule(after: after)
        // Half-way between the question and the answers; always after the previous sample.
        let middle = BootTime(nanoseconds: before + (after - before) / 2)
        let stamp = lastStamp.map { max(middle, $0 + 1) } ?? middle
        assert(lastStamp.map { stamp > $0 } ?? true, "stamps increase")
        assert((missed > 0) == (missedSince != nil))
        if let since = missedSince {
            intake.append(Gap(cause: .deviceLost, count: missed, from: since, until: max(since, stamp + -1)))
            (missed, missedSince) = (0, nil)
        }
        intake.append(scan: scan, at: stamp)
        lastStamp = stamp
        moveAlarm(at: after, &intake)
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

    // False if the device is better buffered at the new pace, or if that takes another capture.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        guard let wanted = session.sensor.indices(of: demand.kinds) else { return false }
        let pace: Pace
        do throws(SystemError) {
            pace = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds, by: .polling)
        } catch {
            throw session.sensor.fault(error)
        }
        guard reason != .slow || NetworkRefill.isTooSlow(pace.intervalNanoseconds) else { return false }
        // The kind that no buffer could deliver is not wanted any more.
        if reason == .unbuffered, wanted.allSatisfy({ session.sensor.parts[$0].canBeBuffered }) { return false }
        assert(wanted.allSatisfy(session.sensor.parts.indices.contains))
        self.wanted = wanted
        interval = Self.interval(session.sensor, reason, pace, demand)
        let now = Clock.bootNanoseconds()
        wakeUp(at: now)
        due = min(due, now.addingSaturating(interval))
        setAlarm(demand)
        return true
    }

    /// A device that could be buffered keeps its own intervals, however it is read; any other is polled at the wanted
    /// interval.
    private static func interval(
        _ sensor: Sensor, _ reason: PollingReason, _ pace: Pace, _ demand: Demand
    ) -> Int64 {
        if reason == .slow { return pace.intervalNanoseconds }
        let wanted = demand.intervalNanoseconds ?? pace.reportedNanoseconds ?? 100_000_000
        return wanted.clamped(to: sensor.pollingNanoseconds)
    }
}

// The device's events.
extension PolledCapture {
    private var hasAlarm: Bool {
        switch alarm {
        case .some: true
        case nil: false
        }
    }

    /// Forgets due times that have passed while the device reported changes itself: no sample was due then, so none is
    /// missing.
    private mutating func wakeUp(at now: Int64) { if hasAlarm { due = max(due, now) } }

    /// Lets the device report changes, if it can do so for all that is wanted, and if nobody wants every sample.
    ///
    /// Its first sample is due as without an alarm: only then are thresholds set.
    private mutating func setAlarm(_ demand: Demand) {
        // Its events can be had only once.
        alarm = nil
        refusal = nil
        guard session.sensor.address == .local, interval < EventRhythm.restNanoseconds else { return }
        let id = session.sensor.device.id
        do throws(SystemError) {
            var channels: [ChangeAlarm.Channel] = []
            for index in wanted {
                let part = session.sensor.parts[index]
                guard let change = demand.changes[part.quantity], part.channels.count == 1,
                    let thresholds = try ThresholdFiles(
                        of: part.channels[0].id, in: "\(LocalSensors.directory)/\(id)/events")
                else { return }
                channels.append(
                    ChangeAlarm.Channel(
                        thresholds, change: conversions[index].numbers(in: change), isWhole: !part.isProcessed))
            }
            alarm = ChangeAlarm(channels, try IIOEvents(ofNode: "/dev/\(id)"), due: due)
        } catch { refusal = Self.words(error) }
    }

    private static func words(_ error: SystemError) -> String {
        if error.isBusy { return "another program has them" }
        return error.isDenied ? "\(error); the udev rule must give events/ to this user's group" : "\(error)"
    }

    /// Whether the device is to be read now.
    private mutating func isAwake(at now: Int64, _ intake: inout Intake) -> Bool {
        do throws(SystemError) {
            try alarm?.takeEvents(at: now, notBefore: lastStamp.map { ($0 + interval).nanoseconds } ?? now)
        } catch { giveUp(Self.words(error), &intake) }
        return switch alarm {
        case .some(let alarm): now >= alarm.due
        case nil: true
        }
    }

    /// Sets the thresholds around the numbers that were read last.
    private mutating func moveAlarm(at now: Int64, _ intake: inout Intake) {
        guard hasAlarm else { return }
        let standing = wanted.map { conversions[$0].standing }
        do throws(SystemError) {
            if try alarm?.follow(numbers, standing: standing, at: now) == false {
                giveUp("they do not agree with the values", &intake)
            }
        } catch { giveUp(Self.words(error), &intake) }
    }

    /// From now on the device is polled at the interval, and its profile has the reason.
    private mutating func giveUp(_ why: String, _ intake: inout Intake) {
        alarm = nil
        refusal = why
        intake.append(profile)
    }
}

extension Sensor.Part {
    /// The driver's values at this moment, channel by channel.
    fileprivate func numbers() throws(SystemError) -> SIMD4<Double> {
        var numbers = SIMD4<Double>.zero
        if repetitions > 1 || isProcessed {
            let values = try channels.first?.numbers(in: isProcessed ? "input" : "raw") ?? []
            guard values.count == repetitions else { throw SystemError("read \(channels[0].id)", code: EINVAL) }
            for (index, number) in values.enumerated() { numbers[index] = number }
        } else {
            for (index, channel) in channels.enumerated() { numbers[index] = Double(try channel.raw()) }
        }
        return numbers
    }
}

/// The counters of a device that count only while they are on, such as those of steps: what this has turned on.
struct CounterSwitches {
    private let turnedOn: [IIOAttribute]

    /// Turns on those of some kinds that are off.
    init(of parts: [Sensor.Part]) throws(SystemError) {
        var turnedOn: [IIOAttribute] = []
        for part in parts {
            guard let enable = IIOAttribute("en", of: .channel(part.channels[0])), try enable.read() == "0" else {
                continue
            }
            turnedOn.append(enable)
            do throws(SystemError) { try enable.write("1") } catch {
                Self(turnedOn: turnedOn).restore()
                throw error
            }
        }
        self.turnedOn = turnedOn
    }

    private init(turnedOn: [IIOAttribute]) { self.turnedOn = turnedOn }

    /// Leaves each as it was found; one that is gone needs nothing.
    func restore() { for enable in turnedOn { try? enable.write("0") } }
}
