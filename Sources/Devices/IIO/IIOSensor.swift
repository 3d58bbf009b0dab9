public import Devices
internal import Platform
public import Readings

/// A device of the kernel's Industrial I/O: on this host through libiio, behind an iiod through our own client.
///
/// Yields values of the wanted kinds along the device's axes: all from one buffer, so that the samples of a scan share
/// stamp and number. libiio itself prints to standard error.
///
/// Who owns whom: this driver owns a `Capture`, that a `Session`, that an `IIOContext` and the `Sensor` that was found in
/// it. On this host `SensorWatch` finds `Sighting`s, and owns a `SensorRoster`, which gives them names; a driver learns of its own through a `SensorAssignment`.
public struct IIOSensor: ~Copyable, DeviceDriver {
    /// The kind of the resource that started it.
    private let kind: Kind
    private let options: SensorOptions
    /// Called with the devices that an iiod has, each as what comes from it.
    private let found: @Sendable ([Quantity]) -> Void
    private let admit: SensorWatch.Admission
    /// Which of this host's sensors it is; nil: the first one at the address.
    private let assignment: SensorAssignment?
    private var capture: (any Capture & ~Copyable)?
    /// The appearance of the sensor that was opened last.
    private var appearance: Sighting.Appearance?
    private var ladder = CaptureLadder()
    private var patience = ReadPatience()
    /// Outlives the buffer that it fills.
    private var timer: TimerTrigger?

    /// The device at an address that a kind comes from; nothing is touched before `probe` or `open`.
    public init(_ options: SensorOptions, kind: Kind = .acceleration) {
        self.kind = kind
        self.options = options
        found = { _ in }
        admit = SensorWatch.anybody
        assignment = nil
    }

    /// The assigned sensor of this host, whichever it is at the time; of another host, only the first sensor is driven.
    init(
        _ options: SensorOptions, _ assignment: SensorAssignment, isFirst: Bool,
        admit: @escaping SensorWatch.Admission, found: @escaping @Sendable ([Quantity]) -> Void
    ) {
        kind = assignment.kind
        self.options = options
        self.found = found
        self.admit = admit
        self.assignment = options.address == .local || !isFirst ? assignment : nil
    }

    /// Looks for the sensor and for what it offers; only reads.
    ///
    /// Faults: `missing`, `denied`, `failed`.
    public mutating func probe() throws(DeviceFault) -> DeviceProfile {
        let former = patience
        defer { patience = former }
        patience = .none
        // The session holds the context that the sensor is a view into.
        let session = try session(for: .all)
        let sensor = session.sensor
        let rate: SamplingRate?
        do throws(SystemError) { rate = try sensor.currentRate() } catch { throw sensor.fault(error) }
        return sensor.profile(rate?.intervalNanoseconds, polledBecause: sensor.obstacle)
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
            // No device refuses to be polled.
            ladder.refused()
        }
    }

    private mutating func start(
        _ session: consuming Session, _ demand: Demand
    ) throws(DeviceFault) -> (any Capture & ~Copyable)? {
        guard ladder.rung == .timer, timer == nil else { return try session.start(demand, ladder) }
        let device = session.sensor.device.id
        // A context lists only the triggers that existed when it was made.
        _ = consume session
        do throws(SystemError) { timer = try TimerTrigger(for: device) } catch { return nil }
        return try self.session(for: demand.kinds).start(demand, ladder)
    }

    /// Changes the pace and the delivered kinds: while samples flow if the driver allows it and the kinds are captured
    /// already, else by restarting the buffer, which a gap up to the first new sample reports.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        guard capture != nil else { return try open(demand) }
        if try capture?.adjust(to: demand) == true, let profile = capture?.profile { return profile }
        // Samples still in the kernel are lost with the buffer. Over the network they cannot be taken without waiting.
        if case .descriptor = readiness { try read(into: &intake) }
        let from = capture?.lastStamp ?? BootTime(nanoseconds: Clock.bootNanoseconds())
        let former = capture?.kinds ?? []
        let profile = try open(demand)
        // A kind that was not captured before has lost nothing.
        intake.interrupt((capture?.kinds ?? []).intersection(former), since: from + 1)
        return profile
    }

    /// What `read` waits for.
    public var readiness: Readiness {
        switch capture {
        case .some(let capture): capture.readiness
        case nil: .at(BootTime(nanoseconds: .max))
        }
    }

    /// Takes the samples that have arrived.
    ///
    /// Faults: `lost`, `busy` if another program took the device over, `failed`.
    public mutating func read(into intake: inout Intake) throws(DeviceFault) {
        // The buffer may have delivered even if the read then failed, so this is checked in either case.
        defer { if capture?.bufferDelivered == true { ladder.didDeliver() } }
        do throws(DeviceFault) {
            try capture?.read(into: &intake)
            try assertPresence()
        } catch {
            if capture?.bufferDelivered == false, error.speaksAgainstBuffer { ladder.wasSilent() }
            throw error
        }
    }

    /// Stops the buffer and releases the device.
    public mutating func close() {
        capture = nil
        timer = nil
    }

    private mutating func session(for wanted: KindSet) throws(DeviceFault) -> Session {
        if assignment != nil, options.address != .local { throw DeviceFault(elsewhere: options.address, kind) }
        let sighting = assignment?.sighting
        if let assignment, sighting == nil { throw assignment.absence }
        let session = try Session(
            of: kind, wanted: wanted, options, sighting, calibration, &patience, admit: admit, found: found)
        appearance = sighting?.appearance
        // The device's number may have been given to another sensor in between.
        try assertPresence()
        return session
    }

    /// The administrator's calibration for what this device measures; on another host it has the first resources of its kinds.
    private var calibration: (Quantity) -> Calibration? {
        let (assignment, options) = (assignment, options)
        return { quantity in
            guard quantity.kind.row.canBeCalibrated else { return nil }
            let name = assignment.map { $0.name(of: quantity) } ?? quantity.kind.row.resourceName(Int(quantity.input))
            return name.flatMap { options.calibration(of: $0) }
        }
    }

    /// A device that is gone reports nothing, or another sensor that got its number answers in its place.
    private func assertPresence() throws(DeviceFault) {
        guard let assignment, let appearance, !assignment.isPresent(appearance) else { return }
        throw DeviceFault(unplugged: assignment.title ?? "the \(kind.row.resource)")
    }
}
