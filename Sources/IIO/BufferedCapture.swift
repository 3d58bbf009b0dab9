internal import Devices
internal import Platform
internal import Readings

/// Samples read through the device's buffer, with the device's own stamps if they are believable.
struct BufferedCapture: ~Copyable {
    private var session: Session
    private let layout: ScanLayout
    private let rung: CaptureRung
    private let sizing: BufferSizing
    /// nil over the network, where a refill blocks.
    private let descriptor: Int32?
    private var pace: Pace
    private var source: StampSource
    private var repair: TimestampRepair
    private var overflow: OverflowDetector
    private var meter = PaceMeter()
    private var silence: SilenceWatch
    private(set) var lastStamp: BootTime?
    private var conversions: [AxisConversion]
    /// Which of the captured kinds are delivered, by their place in a scan.
    private var wanted: [Int]
    // Reused from burst to burst and from scan to scan.
    private var scans = RawScans()
    private var scan: [Measurement] = []

    /// A backlog is handed over in portions, so that the loop gets its first samples soon.
    private static let mostScansPerRead = 4096

    /// Takes over a session whose buffer is running.
    init(
        _ session: consuming Session, _ layout: ScanLayout, _ rung: CaptureRung, _ sizing: BufferSizing, _ pace: Pace,
        _ source: StampSource, _ wanted: KindSet
    ) throws(DeviceFault) {
        let now = Clock.bootNanoseconds()
        let sensor = session.sensor
        do throws(SystemError) {
            descriptor = sensor.address.isNetwork ? nil : try session.unblockBuffer()
        } catch { throw sensor.fault(error) }
        conversions = sensor.parts.map(\.conversion)
        self.wanted = sensor.places(of: wanted) ?? Array(sensor.parts.indices)
        self.session = session
        self.layout = layout
        self.rung = rung
        self.sizing = sizing
        self.pace = pace
        self.source = source
        repair = TimestampRepair(startedAt: now)
        overflow = OverflowDetector(periodNanoseconds: pace.intervalNanoseconds)
        silence = SilenceWatch(
            startedAt: now, refillNanoseconds: sizing.refillNanoseconds(at: pace),
            isNetwork: sensor.address.isNetwork)
    }

    /// True once the buffer has delivered a sample.
    var hasDelivered: Bool { lastStamp != nil }

    var readiness: Readiness {
        guard let descriptor else { return .insideRead }
        // poll(2) does not report a device that is gone; a refill does. So there is a refill now and then in any case.
        return .descriptor(descriptor, orAt: BootTime(nanoseconds: silence.deadline))
    }

    /// The kinds that are delivered.
    var kinds: KindSet { KindSet(wanted.map { session.sensor.parts[$0].kind }) }

    var profile: DeviceProfile {
        session.sensor.profile(pace.toldNanoseconds, session.sensor.buffering(by: rung), polledBecause: nil)
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        scans.removeAll()
        var failure: SystemError?
        do throws(SystemError) { try take() } catch { failure = error }
        // Samples that arrived before a failure are still delivered.
        let arrival = Clock.bootNanoseconds()
        deliver(arrival, &intake)
        if let failure { throw session.sensor.fault(failure) }
        if scans.stamps.isEmpty { try endure(silence.verdict(at: arrival)) } else { silence.heard(at: arrival) }
    }

    /// Takes the scans that are there; over the network, waits for one refill.
    private mutating func take() throws(SystemError) {
        repeat {
            let count = try session.refill(layout, into: &scans)
            if count < sizing.samples { return }
        } while descriptor != nil && scans.stamps.count < Self.mostScansPerRead
    }

    private mutating func deliver(_ arrival: Int64, _ intake: inout Intake) {
        source.translate(&scans.stamps, arrival: arrival)
        let own = repair.repair(
            &scans.stamps, stamped: source.hasStamps, arrival: arrival, period: pace.intervalNanoseconds)
        if !own {
            overflow.forget()
            meter.restart()
        }
        var isNews = false
        let count = scans.stamps.count
        // Samples of one kind go on together.
        let sole = wanted.count == 1 ? wanted[0] : nil
        var run = SampleRun(of: session.sensor.parts[sole ?? 0].kind)
        if sole != nil { run.reserve(count) }
        for index in 0..<count {
            let stamp = scans.stamps[index]
            let next = index + 1 < count ? scans.stamps[index + 1] : nil
            if own {
                if let gap = overflow.gap(before: stamp, next: next) {
                    intake.append(run)
                    run.removeAll()
                    intake.append(gap)
                    meter.restart()
                }
                if let period = meter.period(with: stamp), pace.learn(period) { isNews = true }
            }
            if let sole {
                let numbers = scans.numbers[index * conversions.count + sole]
                run.append(conversions[sole].values(numbers), at: BootTime(nanoseconds: stamp))
            } else {
                append(index, at: BootTime(nanoseconds: stamp), &intake)
            }
        }
        intake.append(run)
        lastStamp = scans.stamps.last.map(BootTime.init(nanoseconds:)) ?? lastStamp
        if isNews { intake.append(profile) }
    }

    private mutating func append(_ index: Int, at stamp: BootTime, _ intake: inout Intake) {
        let first = index * conversions.count
        scan.removeAll(keepingCapacity: true)
        for place in wanted { scan.append(.values(conversions[place].values(scans.numbers[first + place]))) }
        intake.append(scan: scan, at: stamp)
    }

    private func endure(_ verdict: SilenceWatch.Verdict) throws(DeviceFault) {
        let device = session.sensor.device
        switch verdict {
        case .wait: return
        case .suspicious:
            let enabled: String?
            do throws(SystemError) {
                enabled = try IIOAttribute("enable", of: .buffer(device))?.readIfPossible()
            } catch { throw session.sensor.fault(error) }
            guard enabled == "0" else { return }
            throw DeviceFault(switchedOff: device.id, at: session.sensor.address)
        case .unusable:
            let way = session.sensor.buffering(by: rung)
            throw DeviceFault(.failed, "\(device.id) delivers nothing (\(way)); another way is tried")
        }
    }

    /// Changes the pace and the delivered kinds while samples flow; false if that takes a new buffer.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        guard let wanted = session.sensor.places(of: demand.kinds) else { return false }
        let new: Pace
        let now = Clock.bootNanoseconds()
        do throws(SystemError) {
            new = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds, by: rung)
        } catch {
            if error.isBusy { return false }
            throw session.sensor.fault(error)
        }
        let isNetwork = descriptor == nil
        let plan = CapturePlan(isNetwork: isNetwork, intervalNanoseconds: new.intervalNanoseconds)
        let isSame = new.isSet(as: pace)
        let needed = BufferSizing(isSame ? pace : new, session.sensor, demand)
        guard plan == .buffered, needed.samples == sizing.samples, needed.kernelBuffers <= sizing.kernelBuffers else {
            return false
        }
        self.wanted = wanted
        if !isSame {
            pace = new
            meter.restart()
            overflow.restart(periodNanoseconds: new.intervalNanoseconds, at: now)
            silence.restart(refillNanoseconds: sizing.refillNanoseconds(at: new))
        }
        return true
    }
}
