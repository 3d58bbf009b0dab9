internal import Devices
internal import Platform
internal import Readings

/// What was found out about a sensor of a kind: views into a context, valid while that lives.
///
/// Finding it only reads.
struct Sensor {
    let kind: Kind
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
        init?(of device: IIODevice, _ type: String) {
            func input(_ axis: String) -> IIOChannel? {
                device.channels.first { $0.isInput && $0.id == "\(type)_\(axis)" }
            }
            guard let x = input("x"), let y = input("y"), let z = input("z") else { return nil }
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// Finds a sensor of a kind in a context: the one that is named, else the one with the lowest number.
    init(
        of kind: Kind, in context: borrowing IIOContext, _ options: AccelerometerOptions, _ sighting: Sighting?
    ) throws(DeviceFault) {
        let address = options.address
        let devices = context.devices.sorted { ($0.id.deviceNumber ?? .max) < ($1.id.deviceNumber ?? .max) }
        let candidates = devices.filter { sighting == nil || $0.id == sighting?.id }
        guard let device = candidates.first(where: { Kind(of: $0) == kind }), let type = kind.channelType,
            let axes = Axes(of: device, type)
        else {
            let words = "no IIO \(kind.row.resource) at \(address) (no device has \(kind.attributes))"
            throw DeviceFault(.missing, "\(words): connect one, load its driver, or name another address")
        }
        do throws(SystemError) {
            drive = try BufferDrive(of: device, triggers: devices.filter(\.isTrigger))
            let owners: [IIOAttribute.Owner] = [.device(device), .channel(axes.x), .buffer(device)]
            rates = try RateControl(owners + (drive.trigger(for: .trigger).map { [.device($0)] } ?? []))
        } catch { throw DeviceFault(error, device: device.id, at: address) }
        (conversion, mountOrigin) = try Self.conversion(of: device, kind, axes, options)
        layout = Self.layout(of: device, axes)
        self.kind = kind
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
        let name = sighting?.title ?? "\(device.name ?? kind.row.resource)\(label)"
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
    var mounting: String {
        let own = "in_\(kind.channelType ?? kind.wire)_mount_matrix"
        return mountOrigin.map { "mount matrix from \($0 == .channel ? own : $0.words)" } ?? "no mount matrix"
    }

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
        of device: IIODevice, _ kind: Kind, _ axes: Axes, _ options: AccelerometerOptions
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
        let mount = try MountSource(kind, options, device, axis: axes.x)
        return (AxisConversion(of: kind, x: scaled[0], y: scaled[1], z: scaled[2], matrix: mount.matrix), mount.origin)
    }

    private static func scaling(of axis: IIOChannel) throws(SystemError) -> (scale: String?, offset: String?) {
        (
            try IIOAttribute("scale", of: .channel(axis))?.readIfPossible(),
            try IIOAttribute("offset", of: .channel(axis))?.readIfPossible()
        )
    }
}

extension Kind {
    /// The kinds that IIO devices measure, in the order of the table.
    static let ofIIO = all.filter { $0.channelType != nil }

    /// The type of its channels at an IIO device: `accel`.
    var channelType: String? {
        if case .iio(let type, _) = row.source { type } else { nil }
    }

    /// How many of our unit one of the kernel's is.
    var unitFactor: Double {
        if case .iio(_, let factor) = row.source { factor } else { 1 }
    }

    /// The attributes by which a device of the kind is known, for people.
    var attributes: String { "in_\(channelType ?? wire)_x/y/z" }

    /// What a device measures: of several kinds the first, since a device can be opened once only.
    init?(of device: IIODevice) {
        let kind = Self.ofIIO.first { kind in kind.channelType.flatMap { Sensor.Axes(of: device, $0) } != nil }
        guard let kind else { return nil }
        self = kind
    }
}
