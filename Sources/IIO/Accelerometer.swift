internal import Devices
internal import Platform
internal import Readings

/// What was found out about an accelerometer: views into a context, valid while that lives.
///
/// Finding it only reads.
struct Accelerometer {
    let address: IIOAddress
    /// What sysfs told of it, where it is this host's.
    let sighting: Sighting?
    let device: IIODevice
    let axes: Axes
    let conversion: AxisConversion
    /// Who told the mount matrix; nil for nobody.
    let mountOrigin: MountOrigin?
    /// How its samples lie in the buffer; nil where it cannot be buffered.
    let layout: ScanLayout?
    let drive: BufferDrive
    /// nil where the device sets its own pace.
    let rates: RateControl?

    /// The channels of the three axes.
    struct Axes {
        let x: IIOChannel
        let y: IIOChannel
        let z: IIOChannel

        /// The axes of a device that has all three; found by what they are, since names tell nothing.
        init?(of device: IIODevice) {
            func input(_ id: String) -> IIOChannel? { device.channels.first { $0.isInput && $0.id == id } }
            guard let x = input("accel_x"), let y = input("accel_y"), let z = input("accel_z") else { return nil }
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// Finds an accelerometer in a context: the one that is named, else the one with the lowest number.
    init(
        in context: borrowing IIOContext, _ options: AccelerometerOptions, _ sighting: Sighting?
    ) throws(DeviceFault) {
        let address = options.address
        let devices = context.devices.sorted { ($0.id.deviceNumber ?? .max) < ($1.id.deviceNumber ?? .max) }
        let candidates = devices.filter { sighting == nil || $0.id == sighting?.id }
        guard let device = candidates.first(where: { Axes(of: $0) != nil }), let axes = Axes(of: device) else {
            let words = "no IIO accelerometer at \(address) (no device has in_accel_x/y/z)"
            throw DeviceFault(.missing, "\(words): connect one, load its driver, or name another address")
        }
        do throws(SystemError) {
            drive = try BufferDrive(of: device, triggers: devices.filter(\.isTrigger))
            let owners: [IIOAttribute.Owner] = [.device(device), .channel(axes.x), .buffer(device)]
            rates = try RateControl(owners + (drive.trigger(for: .trigger).map { [.device($0)] } ?? []))
        } catch { throw DeviceFault(error, device: device.id, at: address) }
        (conversion, mountOrigin) = try Self.conversion(of: device, axes, options)
        layout = Self.layout(of: device, axes)
        self.address = address
        self.sighting = sighting
        self.device = device
        self.axes = axes
    }

    /// The ways to read it, best first, besides asking for each sample.
    var rungs: [CaptureRung] {
        layout == nil ? [] : drive.rungs(withTimer: !address.isNetwork && TimerTrigger.isAvailable)
    }

    /// What keeps it from being buffered, as far as sysfs tells.
    var obstacle: CapturePlan.Reason? {
        if layout == nil { return .noBuffer }
        return rungs.isEmpty ? .noTrigger : nil
    }

    /// `accel_3d, iio:device0 at local:`; for people.
    var title: String {
        let label = device.label.map { " (\($0))" } ?? ""
        let name = sighting?.title ?? "\(device.name ?? "accelerometer")\(label)"
        return "\(name), \(device.id) at \(address)"
    }

    /// `buffered by trigger accel_3d-dev0`; for people.
    func buffering(by rung: CaptureRung) -> String {
        let trigger = drive.trigger(for: rung).map { $0.name ?? $0.id }
        switch rung {
        case .trigger: return trigger.map { "buffered by trigger \($0)" } ?? "buffered by a trigger"
        case .fifo: return drive.hasFIFO ? "buffered by its hardware FIFO" : "buffered"
        case .timer: return "buffered by the timer \(trigger ?? "of the kernel")"
        case .polling: return "polled"
        }
    }

    /// `mount matrix from mount_matrix`; for people.
    var mounting: String { mountOrigin.map { "mount matrix from \($0.words)" } ?? "no mount matrix" }

    /// The intervals at which it can be asked.
    ///
    /// Each sample costs three calls, and over the network three round trips.
    var pollingNanoseconds: ClosedRange<Int64> { (address.isNetwork ? 10_000_000 : 1_000_000)...10_000_000_000 }

    /// The intervals that it offers; where it is polled, those at which asking makes sense.
    func offeredIntervals(polledBecause reason: CapturePlan.Reason?) -> OfferedIntervals {
        let own = rates?.offered.intervals
        guard let reason, reason != .slow else { return own ?? .fixed(shortestNanoseconds: Pace.guessNanoseconds) }
        let shortest = max(own?.shortestNanoseconds ?? 0, pollingNanoseconds.lowerBound)
        let longest = max(shortest, pollingNanoseconds.upperBound)
        return .range(shortestNanoseconds: shortest, longestNanoseconds: longest)
    }

    /// A call on it that failed, as a fault.
    func fault(_ error: SystemError) -> DeviceFault { DeviceFault(error, device: device.id, at: address) }

    private static func layout(of device: IIODevice, _ axes: Axes) -> ScanLayout? {
        guard device.channels.allSatisfy({ !$0.isScanElement || $0.hasWidth }) else { return nil }
        let timestamp = device.channels.first { $0.isInput && $0.id == "timestamp" }
        return ScanLayout(x: axes.x, y: axes.y, z: axes.z, timestamp: timestamp)
    }

    private static func conversion(
        of device: IIODevice, _ axes: Axes, _ options: AccelerometerOptions
    ) throws(DeviceFault) -> (AxisConversion, MountOrigin?) {
        let address = options.address
        let texts: [(scale: String?, offset: String?)]
        do throws(SystemError) {
            texts = [try scaling(of: axes.x), try scaling(of: axes.y), try scaling(of: axes.z)]
        } catch { throw DeviceFault(error, device: device.id, at: address) }
        let scaled = texts.compactMap { text in
            text.scale.flatMap { AxisConversion.Axis(scale: $0, offset: text.offset) }
        }
        guard scaled.count == 3 else {
            throw DeviceFault(.failed, "\(device.id) at \(address) has no usable scale: its readings mean nothing")
        }
        let mount = try MountSource(options, device, axis: axes.x)
        return (AxisConversion(x: scaled[0], y: scaled[1], z: scaled[2], matrix: mount.matrix), mount.origin)
    }

    private static func scaling(of axis: IIOChannel) throws(SystemError) -> (scale: String?, offset: String?) {
        (
            try IIOAttribute("scale", of: .channel(axis))?.readIfPossible(),
            try IIOAttribute("offset", of: .channel(axis))?.readIfPossible()
        )
    }
}
