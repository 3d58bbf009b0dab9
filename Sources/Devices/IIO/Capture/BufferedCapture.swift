internal import Devices
internal import Platform
internal import Readings

/// Samples read through the device's buffer, with the device's own stamps if they are believable.
struct BufferedCapture: Capture, ~Copyable {
    private var session: Session
    private let layout: ScanLayout
    private let rung: CaptureRung
    private let sizing: BufferSizing
    /// nil over the network, where a refill blocks.
    private let descriptor: Int32?
    private var pace: Pace
    private var timing: BurstTiming
    private var silence: SilenceWatch
    private var backlog = BacklogWatch()
    private(set) var lastStamp: BootTime?
    private var conversions: [AxisConversion]
    /// Which of the captured kinds are delivered, by their index in a scan.
    private var wanted: [Int]
    // Reused from burst to burst and from scan to scan.
    private var scans: RawScans
    private var scan: [Measurement]

    /// A backlog is handed over in portions, so that the loop gets its first samples soon.
    private static let mostScansPerRead = 4096

    /// Takes over a session whose buffer is running; its scans have this layout, and stamps of this source.
    init(
        _ session: consuming Session, by rung: CaptureRung, layout: ScanLayout, stampedBy source: StampSource,
        sizing: BufferSizing, pace: Pace, kinds wanted: KindSet
    ) throws(DeviceFault) {
        let now = Clock.bootNanoseconds()
        let sensor = session.sensor
        do throws(SystemError) {
            descriptor = sensor.address.isNetwork ? nil : try session.unblockBuffer()
        } catch { throw sensor.fault(error) }
        conversions = sensor.parts.map(\.conversion)
        scans = RawScans(groups: conversions.count)
        scan = []
        self.wanted = sensor.indices(of: wanted) ?? Array(sensor.parts.indices)
        self.session = session
        self.layout = layout
        self.rung = rung
        self.sizing = sizing
        self.pace = pace
        timing = BurstTiming(source, startedAt: now, periodNanoseconds: pace.intervalNanoseconds)
        silence = SilenceWatch(
            startedAt: now, refillNanoseconds: sizing.refillNanoseconds(at: pace),
            isNetwork: sensor.address.isNetwork)
    }

    var bufferDelivered: Bool? { lastStamp != nil }

    var readiness: Readiness {
        guard let descriptor else { return .insideRead }
        // poll(2) does not report a device that is gone; a refill does. So there is a refill now and then in any case.
        return .descriptor(descriptor, orAt: BootTime(nanoseconds: silence.deadline))
    }

    var kinds: KindSet { KindSet(of: wanted.map { session.sensor.parts[$0].quantity }) }

    var profile: DeviceProfile {
        session.sensor.profile(pace.publishedNanoseconds, session.sensor.buffering(by: rung), polledBecause: nil)
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        scans.removeAll()
        var failure: SystemError?
        do throws(SystemError) { try take() } catch { failure = error }
        // Samples that arrived before a failure are still delivered.
        let arrival = Clock.bootNanoseconds()
        deliver(arrival, &intake)
        if let failure { throw session.sensor.fault(failure) }
        if scans.stamps.isEmpty { try endure(silence.verdict(at: arrival)) } else { silence.received(at: arrival) }
    }

    /// Takes the scans that are there, which is one refill while reads keep up; over the network, waits for one.
    private mutating func take() throws(SystemError) {
        let takesAll = backlog.read(
            at: Clock.bootNanoseconds(), refillNanoseconds: sizing.refillNanoseconds(at: pace))
        repeat {
            let count = try session.refill(layout, into: &scans)
            if count < sizing.samples || !takesAll { return }
        } while descriptor != nil && scans.stamps.count < Self.mostScansPerRead
    }

    private mutating func deliver(_ arrival: Int64, _ intake: inout Intake) {
        let gaps = timing.settle(&scans.stamps, arrival: arrival, periodNanoseconds: pace.intervalNanoseconds)
        var changesProfile = false
        var start = 0
        for (index, gap) in gaps {
            assert((start..<scans.count).contains(index), "gaps come in order, each before a scan")
            changesProfile = take(start..<index, &intake) || changesProfile
            intake.append(gap)
            timing.interrupt()
            start = index
        }
        changesProfile = take(start..<scans.count, &intake) || changesProfile
        if changesProfile { intake.append(profile) }
    }

    /// Takes scans between which nothing is missing; returns whether the pace has proved to be another one.
    private mutating func take(_ range: Range<Int>, _ intake: inout Intake) -> Bool {
        append(range, &intake)
        return timing.periods(of: scans.stamps[range]).reduce(false) { pace.learn($1) || $0 }
    }

    /// Adds scans between which nothing is missing.
    private mutating func append(_ range: Range<Int>, _ intake: inout Intake) {
        guard let last = range.last else { return }
        assert(range.upperBound <= scans.count)
        assert(wanted.allSatisfy(conversions.indices.contains))
        lastStamp = BootTime(nanoseconds: scans.stamps[last])
        // Samples of one kind go on together.
        if wanted.count == 1 { return intake.append(conversions[wanted[0]].run(of: scans, range, group: wanted[0])) }
        for index in range {
            scan.removeAll(keepingCapacity: true)
            for group in wanted { scan.append(.values(conversions[group].values(scans[index, group]))) }
            intake.append(scan: scan, at: BootTime(nanoseconds: scans.stamps[index]))
        }
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

    // False if that takes a new buffer.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        guard let wanted = session.sensor.indices(of: demand.kinds) else { return false }
        let new: Pace
        let now = Clock.bootNanoseconds()
        do throws(SystemError) {
            new = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds, by: rung)
        } catch {
            if error.isBusy { return false }
            throw session.sensor.fault(error)
        }
        if descriptor == nil, NetworkRefill.isTooSlow(new.intervalNanoseconds) { return false }
        let isSame = new.isSet(as: pace)
        let needed = BufferSizing(isSame ? pace : new, session, demand)
        guard needed.samples == sizing.samples, needed.kernelBuffers <= sizing.kernelBuffers else {
            return false
        }
        self.wanted = wanted
        if !isSame {
            pace = new
            timing.restart(periodNanoseconds: new.intervalNanoseconds, at: now)
            silence.restart(refillNanoseconds: sizing.refillNanoseconds(at: new))
        }
        return true
    }
}
