internal import Devices
internal import Platform
internal import Readings

/// A context and the accelerometer in it: made for every opening and thrown away after every fault.
///
/// Never kept longer: an old context would silently read a new device that got the same number, and over the network a
/// context that has seen one time-out answers every question with the answer to the one before.
struct Session: ~Copyable {
    private var context: IIOContext
    let accelerometer: Accelerometer

    /// Connects and finds the accelerometer, the first one where none is named; changes nothing.
    init(
        _ options: AccelerometerOptions, _ sighting: Sighting? = nil, admit: AccelerometerWatch.Admission
    ) throws(DeviceFault) {
        let context = try Self.context(at: options.address, admit(options.address))
        accelerometer = try Accelerometer(in: context, options, sighting)
        self.context = context
    }

    private static func context(
        at address: IIOAddress, _ endpoints: [TCPEndpoint]
    ) throws(DeviceFault) -> IIOContext {
        do throws(SystemError) {
            return address.isNetwork ? try IIOContext(behind: endpoints) : try IIOContext()
        } catch { throw DeviceFault(noContext: error, at: address, endpoints) }
    }

    /// Makes `refill` return at once; returns the descriptor that tells when it is worth it.
    func unblockBuffer() throws(SystemError) -> Int32 { try context.unblockBuffer() }

    /// Appends the samples that have arrived, and returns how many.
    mutating func refill(_ layout: ScanLayout, into samples: inout [RawSample]) throws(SystemError) -> Int {
        try context.refill(layout, into: &samples)
    }

    /// Makes sure that nobody else has the device; false where it has no node, and so no buffer.
    func claim() throws(DeviceFault) -> Bool {
        guard accelerometer.layout != nil, !accelerometer.address.isNetwork else { return accelerometer.layout != nil }
        do throws(SystemError) { return try DeviceNode.isFree(deviceID: accelerometer.device.id) } catch {
            throw accelerometer.fault(error)
        }
    }

    /// Sets the slowest rate that satisfies an interval, and reads back what became of it.
    func setPace(intervalNanoseconds: Int64?, by rung: CaptureRung) throws(SystemError) -> Pace {
        let own = try accelerometer.rates.map { (rates) throws(SystemError) in
            let wanted = try rates.choice(for: intervalNanoseconds)
            return Pace(wanted: wanted, reported: try rates.set(wanted))
        }
        guard rung == .timer, let timer = accelerometer.drive.trigger(for: rung),
            let rates = try RateControl([.device(timer)])
        else { return own ?? Pace(wanted: nil, reported: nil) }
        // The timer's pace is the one that counts; it takes whole hertz only.
        let hertz = SamplingRate(
            intervalNanoseconds: intervalNanoseconds ?? own?.intervalNanoseconds ?? Pace.unaskedNanoseconds
        ).hertz.rounded(.up)
        let wanted = SamplingRate(hertz: hertz) ?? SamplingRate(intervalNanoseconds: Pace.unaskedNanoseconds)
        return Pace(wanted: wanted, reported: try rates.set(wanted))
    }

    /// Starts the buffer; returns what its stamps mean, nil where the device has no buffer that starts.
    mutating func startBuffer(
        _ layout: ScanLayout, _ sizing: BufferSizing, by rung: CaptureRung
    ) throws(DeviceFault) -> StampSource? {
        do throws(SystemError) {
            try accelerometer.drive.prepare(rung)
            // Drivers refuse another clock once the buffer runs.
            let clock = try accelerometer.device.chooseStampClock()
            try context.startBuffer(of: accelerometer.device, layout, sizing)
            guard layout.timestamp != nil, let clock else { return .arrival }
            return accelerometer.address.isNetwork ? .remote(RemoteClock()) : .host(clock)
        } catch {
            if error.meansNoBuffer { return nil }
            throw accelerometer.fault(error)
        }
    }
}
