internal import Devices
internal import Platform
internal import Readings

/// A context and the device in it: made for every opening and discarded after every fault.
///
/// Never kept longer: an old context would silently read a new device that got the same number, and over the network a
/// context that has seen one time-out answers every question with the answer to the one before.
struct Session: ~Copyable {
    private var context: IIOContext
    let sensor: Sensor
    /// How long an iiod takes for an answer, at the best; nil on this host.
    let roundTripNanoseconds: Int64?

    /// Connects and finds the device: the named one, or the one that a kind starts.
    ///
    /// Changes nothing.
    ///
    /// `found` is called with another host's devices, each as what comes from it: nothing else would find them.
    init(
        of kind: Kind, wanted: KindSet, _ options: SensorOptions, _ sighting: Sighting? = nil,
        _ calibration: (Quantity) -> Calibration?, _ patience: inout ReadPatience, admit: SensorWatch.Admission,
        found: ([Quantity]) -> Void
    ) throws(DeviceFault) {
        let endpoints = try admit(options.address)
        let context: IIOContext
        do throws(SystemError) {
            context = options.address.isNetwork ? try IIOContext(behind: endpoints) : try IIOContext()
        } catch { throw DeviceFault(noContext: error, at: options.address, endpoints) }
        if options.address.isNetwork {
            let devices = context.devices
            for owner in KindOwners(among: devices.map(\.kinds)).owners {
                found(devices[owner.device].kinds.quantities.filter { owner.kinds.contains($0.kind) })
            }
        }
        sensor = try Sensor(of: kind, wanted: wanted, in: context, options, sighting, calibration, &patience)
        roundTripNanoseconds = context.roundTripNanoseconds
        self.context = context
    }

    /// Makes `refill` return at once; returns the descriptor that shows when a refill is worthwhile.
    func unblockBuffer() throws(SystemError) -> Int32 { try context.unblockBuffer() }

    /// Appends the scans that have arrived, and returns how many.
    mutating func refill(_ layout: ScanLayout, into scans: inout RawScans) throws(SystemError) -> Int {
        try context.refill(layout, into: &scans)
    }

    /// Makes sure that no other program has the device; false if it has no node, and so no buffer.
    func claim() throws(DeviceFault) -> Bool {
        guard sensor.layout != nil, !sensor.address.isNetwork else { return sensor.layout != nil }
        do throws(SystemError) { return try DeviceNode.isFree(deviceID: sensor.device.id) } catch {
            throw sensor.fault(error)
        }
    }

    /// Sets the slowest rate that satisfies an interval, and reads back the result; if each kind has a rate of its own,
    /// the slowest of them counts, and the pace of a timer before all.
    func setPace(intervalNanoseconds: Int64?, by rung: CaptureRung) throws(SystemError) -> Pace {
        let timer = try sensor.drive.timerRates(for: rung)
        // As fast as a timer that others share, so that each sample is a new one.
        let interval = timer?.fixedNanoseconds ?? intervalNanoseconds
        var own: Pace?
        for rates in sensor.rates {
            let wanted = try rates.choice(for: interval)
            let pace = Pace(wanted: wanted, reported: try rates.set(wanted))
            if pace.intervalNanoseconds > own?.intervalNanoseconds ?? 0 { own = pace }
        }
        guard let timer else { return own ?? Pace(wanted: nil, reported: nil) }
        let wanted = try timer.choice(for: interval ?? own?.intervalNanoseconds ?? Pace.unaskedNanoseconds)
        return Pace(wanted: wanted, reported: try timer.set(wanted))
    }

    /// Starts the buffer; returns what its stamps mean, nil if the device has no buffer that starts.
    mutating func startBuffer(
        _ layout: ScanLayout, _ sizing: BufferSizing, by rung: CaptureRung
    ) throws(DeviceFault) -> StampSource? {
        do throws(SystemError) {
            try sensor.drive.prepare(rung)
            // Drivers refuse another clock once the buffer is running.
            let clock = try sensor.device.chooseStampClock()
            try context.startBuffer(of: sensor.device, layout, sizing)
            guard layout.timestamp != nil, let clock else { return .arrival }
            return sensor.address.isNetwork ? .remote(RemoteClock()) : .host(clock)
        } catch {
            if error.meansNoBuffer { return nil }
            throw sensor.fault(error)
        }
    }
}
