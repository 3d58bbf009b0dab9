public import Devices
internal import Platform
public import Readings

/// An accelerometer of the kernel's Industrial I/O, on this host or behind an iiod, through libiio.
///
/// Yields `Measurement.acceleration` in m/s² along the device's axes. libiio prints to standard error by itself, and its
/// network side sends without MSG_NOSIGNAL: the process must ignore SIGPIPE.
public struct IIOAccelerometer: ~Copyable, DeviceDriver {
    private let address: IIOAddress
    private var capture: Capture?
    /// A buffer that never delivered is not tried again at the next opening; at the one after, it is.
    private var avoidsBuffer = false

    /// The first accelerometer at an address; nothing is touched before `probe` or `open`.
    public init(at address: IIOAddress) { self.address = address }

    /// Looks for the accelerometer and what it offers; only reads.
    ///
    /// Faults: `missing`, `denied`, `failed`.
    public mutating func probe() throws(DeviceFault) -> DeviceProfile {
        let session = try Session(at: address)
        let accelerometer = session.accelerometer
        let rate: SamplingRate?
        do throws(SystemError) { rate = try accelerometer.rates?.current() } catch { throw accelerometer.fault(error) }
        return DeviceProfile(
            offered: accelerometer.offeredIntervals(polledBecause: accelerometer.obstacle),
            intervalNanoseconds: rate?.intervalNanoseconds,
            description: "\(accelerometer.title), \(accelerometer.mounting)", simulated: false)
    }

    /// Finds and starts the accelerometer.
    ///
    /// Faults: `missing`, `denied`, `busy` with another program, `lost`, `failed`.
    public mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        close()
        let capture = try Capture(try Session(at: address), demand, avoidingBuffer: avoidsBuffer)
        avoidsBuffer = false
        let profile = capture.profile
        self.capture = consume capture
        return profile
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
        do throws(DeviceFault) { try capture?.read(into: &intake) } catch {
            avoidsBuffer = capture?.neverDelivered ?? false
            throw error
        }
    }

    /// Stops the buffer and lets go of the device.
    public mutating func close() { capture = nil }
}
