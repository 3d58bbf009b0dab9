public import Devices
internal import Platform
public import Readings

/// A sensor of the kernel's Industrial I/O: on this host through libiio, behind an iiod through a client of our own.
///
/// Yields values of its kind along the device's axes. libiio prints to standard error by itself.
public struct IIOSensor: ~Copyable, DeviceDriver {
    private let kind: Kind
    private let options: AccelerometerOptions
    /// Told of other kinds at the same address.
    private let found: @Sendable (Kind) -> Void
    private let admit: SensorWatch.Admission
    /// Which of this host's sensors it is; nil: the first one at the address.
    private let assignment: SensorAssignment?
    private var capture: Capture?
    /// Of the sensor that was opened last.
    private var appearance: SensorAppearance?
    private var ladder = CaptureLadder()
    /// Outlives the buffer that it fills.
    private var timer: TimerTrigger?

    /// The first sensor of a kind at an address; nothing is touched before `probe` or `open`.
    public init(_ options: AccelerometerOptions, kind: Kind = .acceleration) {
        self.kind = kind
        self.options = options
        found = { _ in }
        admit = SensorWatch.anybody
        assignment = nil
    }

    /// The sensor of this host that is assigned, whichever that is at the time; of another host's only the first is driven.
    init(
        _ options: AccelerometerOptions, _ assignment: SensorAssignment, isFirst: Bool,
        admit: @escaping SensorWatch.Admission, found: @escaping @Sendable (Kind) -> Void
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
        let session = try session()
        let sensor = session.sensor
        let rate: SamplingRate?
        do throws(SystemError) { rate = try sensor.rates?.current() } catch { throw sensor.fault(error) }
        return DeviceProfile(
            offered: sensor.offeredIntervals(polledBecause: sensor.obstacle),
            intervalNanoseconds: rate?.intervalNanoseconds,
            description: "\(sensor.title), \(sensor.mounting)", simulated: false)
    }

    /// Finds and starts the sensor.
    ///
    /// Faults: `missing`, `denied`, `busy` with another program, `lost`, `failed`.
    public mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        close()
        ladder.begin()
        while true {
            let session = try session()
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
        return try Capture.start(self.session(), demand, ladder)
    }

    /// Changes the pace, live where the driver allows it; else the buffer is restarted, and a gap says so.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        guard capture != nil else { return try open(demand) }
        if try capture?.adjust(to: demand) == true, let profile = capture?.profile { return profile }
        // What lies in the kernel goes with the buffer. Over the network there is no taking it without waiting.
        if case .descriptor = readiness { try read(into: &intake) }
        let from = capture?.lastStamp ?? BootTime(nanoseconds: Clock.bootNanoseconds())
        let profile = try open(demand)
        let until = BootTime(nanoseconds: Clock.bootNanoseconds())
        intake.append(Gap(cause: .reconfigured, count: nil, from: from + 1, until: max(from + 1, until)))
        return profile
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

    private mutating func session() throws(DeviceFault) -> Session {
        guard let assignment else { return try Session(of: kind, options, admit: admit, found: found) }
        guard options.address == .local else { throw DeviceFault(elsewhere: options.address, kind) }
        guard let sighting = assignment.sighting else { throw assignment.absence }
        let session = try Session(of: kind, options, sighting, admit: admit, found: found)
        // Its number may have been given to another in between.
        guard assignment.isPresent(sighting.appearance) else { throw DeviceFault(unplugged: sighting.title) }
        appearance = sighting.appearance
        return session
    }

    /// A device that is gone says nothing, or goes on answering for the one that has its number now.
    private func assertPresence() throws(DeviceFault) {
        guard let assignment, let appearance, !assignment.isPresent(appearance) else { return }
        throw DeviceFault(unplugged: assignment.title ?? "the \(kind.row.resource)")
    }
}
