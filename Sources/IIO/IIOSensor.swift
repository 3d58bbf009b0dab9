public import Devices
internal import Platform
public import Readings

/// A device of the kernel's Industrial I/O: on this host through libiio, behind an iiod through a client of our own.
///
/// Yields values along the device's axes, of those of its kinds that are wanted: all from one buffer, so that the samples of
/// a scan share stamp and number. libiio prints to standard error by itself.
public struct IIOSensor: ~Copyable, DeviceDriver {
    /// That of the resource which started it.
    private let kind: Kind
    private let options: SensorOptions
    /// Told which devices there are at an iiod, by the kinds that come from each.
    private let found: @Sendable ([Kind]) -> Void
    private let admit: SensorWatch.Admission
    /// Which of this host's sensors it is; nil: the first one at the address.
    private let assignment: SensorAssignment?
    private var capture: Capture?
    /// Of the sensor that was opened last.
    private var appearance: SensorAppearance?
    private var ladder = CaptureLadder()
    /// Outlives the buffer that it fills.
    private var timer: TimerTrigger?

    /// The device at an address from which a kind comes; nothing is touched before `probe` or `open`.
    public init(_ options: SensorOptions, kind: Kind = .acceleration) {
        self.kind = kind
        self.options = options
        found = { _ in }
        admit = SensorWatch.anybody
        assignment = nil
    }

    /// The sensor of this host that is assigned, whichever that is at the time; of another host's only the first is driven.
    init(
        _ options: SensorOptions, _ assignment: SensorAssignment, isFirst: Bool,
        admit: @escaping SensorWatch.Admission, found: @escaping @Sendable ([Kind]) -> Void
    ) {
        kind = assignment.kind
        self.options = options
        self.found = found
        self.admit = admit
        self.assignment = options.address == .local || !isFirst ? assignment : nil
    }

    /// Looks for the sensor and what it offers; only reads.
    ///
    /// Faults: `missing`, `denied`, `failed`.
    public mutating func probe() throws(DeviceFault) -> DeviceProfile {
        // It holds the context that the sensor is a view into.
        let session = try session(for: .all)
        let sensor = session.sensor
        var slowest: SamplingRate?
        do throws(SystemError) {
            for rates in sensor.rates {
                if let rate = try rates.current() { slowest = min(slowest ?? rate, rate) }
            }
        } catch { throw sensor.fault(error) }
        return sensor.profile(slowest?.intervalNanoseconds, polledBecause: sensor.obstacle)
    }

    /// Finds and starts the sensor.
    ///
    /// Faults: `missing`, `denied`, `busy` with another program, `lost`, `failed`.
    public mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        close()
        ladder.begin()
        while true {
            let session = try session(for: demand.kinds)
            ladder.found(session.sensor.title, session.sensor.rungs)
            if let capture = try start(session, demand) {
                let profile = capture.profile
                self.capture = consume capture
                return profile
            }
            // Polling is refused by none.
            ladder.refused()
        }
    }

    private mutating func start(_ session: consuming Session, _ demand: Demand) throws(DeviceFault) -> Capture? {
        guard ladder.rung == .timer, timer == nil else { return try Capture.start(session, demand, ladder) }
        let device = session.sensor.device.id
        // A context knows what there was when it was made.
        _ = consume session
        do throws(SystemError) { timer = try TimerTrigger(for: device) } catch { return nil }
        return try Capture.start(self.session(for: demand.kinds), demand, ladder)
    }

    /// Changes the pace and which kinds are delivered, live where the driver allows it and the kinds are captured already; else
    /// the buffer is restarted, and a gap up to its first sample says so.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        guard capture != nil else { return try open(demand) }
        if try capture?.adjust(to: demand) == true, let profile = capture?.profile { return profile }
        // What lies in the kernel goes with the buffer. Over the network there is no taking it without waiting.
        if case .descriptor = readiness { try read(into: &intake) }
        let from = capture?.lastStamp ?? BootTime(nanoseconds: Clock.bootNanoseconds())
        let former = kinds
        let profile = try open(demand)
        // A kind that begins with this buffer has lost nothing.
        intake.interrupt(kinds.intersection(former), since: from + 1)
        return profile
    }

    /// Which kinds are delivered.
    private var kinds: KindSet {
        switch capture {
        case .some(let capture): capture.kinds
        case nil: []
        }
    }

    /// What has to happen before `read` has something to do.
    public var readiness: Readiness {
        switch capture {
        case .some(let capture): capture.readiness
        case nil: .at(BootTime(nanoseconds: .max))
        }
    }

    /// Takes what has arrived.
    ///
    /// Faults: `lost`, `busy` where another program took the device over, `failed`.
    public mutating func read(into intake: inout Intake) throws(DeviceFault) {
        // What came before a failure came too, so this is asked in either case.
        defer { if capture?.bufferDelivered == true { ladder.didDeliver() } }
        do throws(DeviceFault) {
            try capture?.read(into: &intake)
            try assertPresence()
        } catch {
            if capture?.bufferDelivered == false, error.speaksAgainstBuffer { ladder.wasSilent() }
            throw error
        }
    }

    /// Stops the buffer and lets go of the device.
    public mutating func close() {
        capture = nil
        timer = nil
    }

    private mutating func session(for wanted: KindSet) throws(DeviceFault) -> Session {
        guard let assignment else {
            return try Session(of: kind, wanted: wanted, options, nil, calibrations, admit: admit, found: found)
        }
        guard options.address == .local else { throw DeviceFault(elsewhere: options.address, kind) }
        guard let sighting = assignment.sighting else { throw assignment.absence }
        let session = try Session(
            of: kind, wanted: wanted, options, sighting, calibrations, admit: admit, found: found)
        // Its number may have been given to another in between.
        guard assignment.isPresent(sighting.appearance) else { throw DeviceFault(unplugged: sighting.title) }
        appearance = sighting.appearance
        return session
    }

    /// What the administrator says of the resources of this device; of another host's they are the first of their kinds.
    private var calibrations: [Kind: Calibration] {
        var calibrations: [Kind: Calibration] = [:]
        for kind in Kind.ofIIO where kind.canBeCalibrated {
            let name = assignment.map { $0.name(of: kind) } ?? kind.row.firstResource
            calibrations[kind] = name.flatMap { options.calibration(of: $0) }
        }
        return calibrations
    }

    /// A device that is gone says nothing, or goes on answering for the one that has its number now.
    private func assertPresence() throws(DeviceFault) {
        guard let assignment, let appearance, !assignment.isPresent(appearance) else { return }
        throw DeviceFault(unplugged: assignment.title ?? "the \(kind.row.resource)")
    }
}
