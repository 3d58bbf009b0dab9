internal import Devices
internal import Platform
internal import Readings

/// What is known of an IIO device and its captured kinds: views into a context, valid while the context lives.
///
/// To find this out, it only reads.
struct Sensor {
    let address: IIOAddress
    /// What sysfs has of it, if it is on this host.
    let sighting: Sighting?
    let device: IIODevice
    /// All that it measures and that can be used, captured or not.
    let kinds: KindSet
    /// What is captured, in the order of the table of kinds and of the inputs; not empty.
    let parts: [Part]
    /// The layout of its samples in the buffer; nil if they cannot be buffered.
    let layout: ScanLayout?
    let drive: BufferDrive
    /// The pace of a timer that is set as its trigger.
    private let timer: RateControl?
    /// What it measures but that cannot be used, each with the reason.
    private let flaws: [(quantity: Quantity, fault: DeviceFault)]
    /// What could not be read when nobody wanted it: it is read again as soon as somebody does.
    private let unread: KindSet
    /// What it calls the inputs of which it has several, or that have a label.
    private let inputs: [Quantity: String]

    /// One kind that it measures, at one input.
    struct Part {
        let quantity: Quantity
        var kind: Kind { quantity.kind }
        /// One, or one for each axis.
        let channels: [IIOChannel]
        /// How many numbers a channel has.
        let repetitions: Int
        /// Whether the driver gives numbers in its unit, not counts: such a channel is polled.
        let isProcessed: Bool
        /// Whether its counts are taken for the unit of the kind, since it is unknown what they mean.
        let hasAssumedScale: Bool
        /// Why its counts are of unknown size, although their direction is known; nil: they are not.
        let unscaled: String?
        let conversion: AxisConversion
        /// How it is mounted, and where that is from; nil if that does not matter.
        let mount: MountSource?
        /// nil if the device sets its own pace.
        let rates: RateControl?
    }

    /// Finds a device in a context, either the named one or the one that a kind starts, to capture the wanted kinds.
    ///
    /// A kind that cannot be used, for instance because it has no scale, does not keep the others from being captured.
    init(
        of kind: Kind, wanted: KindSet, in context: borrowing IIOContext, _ options: SensorOptions,
        _ sighting: Sighting?, _ calibration: (Quantity) -> Calibration?, _ patience: inout ReadPatience
    ) throws(DeviceFault) {
        let address = options.address
        let devices = context.devices
        let device = try Self.device(of: kind, among: devices, address, sighting)
        var parts: [Part] = []
        var flaws: [(quantity: Quantity, fault: DeviceFault)] = []
        do throws(SystemError) {
            drive = try BufferDrive(of: device, among: devices)
            timer = try drive.timerRates(for: .trigger)
        } catch { throw DeviceFault(error, device: device.id, at: address) }
        for (quantity, channels) in device.measured(as: sighting?.inputs) {
            do throws(DeviceFault) {
                parts.append(
                    try Part(
                        quantity, channels, device, drive.ownTrigger(for: .trigger), options, calibration(quantity)))
            } catch {
                // A fault of the whole device is not a flaw of one kind: it ends the search.
                if error.cause?.endsContext ?? false { throw error }
                // Nor is a read that failed, as long as it may be over at the next opening.
                if error.isUnread, device.givesWholeScans || patience.waits() { throw error }
                flaws.append((quantity, error))
            }
        }
        let unread = flaws.filter(\.fault.isUnread).map(\.quantity)
        if unread.isEmpty { patience.reset() }
        self.unread = KindSet(of: unread.filter { !wanted.contains($0) })
        do throws(SystemError) { inputs = try Self.names(of: parts) } catch {
            throw DeviceFault(error, device: device.id, at: address)
        }
        kinds = KindSet(of: parts.map(\.quantity))
        let isWanted = parts.contains { wanted.contains($0.quantity) }
        var fault: DeviceFault?
        if !isWanted {
            fault =
                flaws.first { wanted.contains($0.quantity) }?.fault
                ?? DeviceFault(device.id, at: address, lacks: wanted.kinds.first { $0.channelType != nil } ?? kind)
            if let fault, parts.isEmpty { throw fault }
        }
        self.parts = parts.filter { !isWanted || wanted.contains($0.quantity) || device.givesWholeScans }
        layout = Self.layout(of: device, self.parts)
        self.flaws = flaws
        self.address = address
        self.sighting = sighting
        self.device = device
        guard var fault else { return }
        // What nobody wants at present can be used all the same.
        var remainder = profile(nil, polledBecause: obstacle)
        for quantity in wanted.quantities where remainder.withheld[quantity] == nil {
            remainder.withheld[quantity] = fault.description
        }
        fault.remainder = remainder
        throw fault
    }

    /// The ways to fill its buffer, best first; polling is always possible besides.
    var rungs: [CaptureRung] {
        layout == nil ? [] : drive.rungs(withTimer: !address.isNetwork && TimerTrigger.isAvailable)
    }

    /// What keeps it from being buffered, as far as sysfs shows.
    var obstacle: PollingReason? {
        if layout == nil { return parts.contains(where: \.canBeBuffered) ? .unbuffered : .noBuffer }
        return rungs.isEmpty ? .noTrigger : nil
    }

    /// The indices in `parts` of what is wanted; nil if another capture is needed: something wanted that the
    /// device has is not captured, or nothing is wanted that is.
    ///
    /// What is captured and nobody wants any more stays captured until something else needs another capture: to drop it
    /// would cost the others samples, and would cost them samples again when a client asks for it again.
    func indices(of wanted: KindSet) -> [Int]? {
        guard wanted.intersection(unread).isEmpty else { return nil }
        let wanted = wanted.intersection(kinds)
        let indices = parts.indices.filter { wanted.contains(parts[$0].quantity) }
        return indices.isEmpty || indices.count < wanted.quantities.count ? nil : indices
    }

    /// What sets its pace: one control, or one for each captured kind; empty if the device sets its own pace.
    var rates: [RateControl] {
        var rates: [RateControl] = []
        for control in parts.compactMap(\.rates) {
            let isCommon = !control.isOfOneKind
            if isCommon, rates.contains(where: { !$0.isOfOneKind }) { continue }
            rates.append(control)
        }
        return rates
    }

    /// The rate at which it runs at present, as far as it is known.
    func currentRate() throws(SystemError) -> SamplingRate? {
        if let timer { return try timer.current() }
        var slowest: SamplingRate?
        for control in rates {
            if let rate = try control.current() { slowest = min(slowest ?? rate, rate) }
        }
        return slowest
    }

    /// `accel_3d, iio:device0 at local:`; for people.
    var title: String {
        let label = device.label.map { " (\($0))" } ?? ""
        let name = sighting?.title ?? "\(device.name ?? parts[0].kind.row.resource)\(label)"
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

    /// Its profile for clients; `way`: how it is captured, nil if it is not.
    func profile(
        _ intervalNanoseconds: Int64?, _ way: String? = nil, polledBecause reason: PollingReason?
    ) -> DeviceProfile {
        let assumed = parts.filter(\.hasAssumedScale).map {
            "\($0.kind.row.resource) without a scale, which counts as 1"
        }
        let faults = parts.compactMap(\.unscaled) + flaws.map(\.fault.description)
        let words = [title] + (way.map { [$0] } ?? []) + mounting + assumed + faults
        var profile = DeviceProfile(
            offered: offeredIntervals(polledBecause: reason), intervalNanoseconds: intervalNanoseconds,
            description: words.joined(separator: ", "), simulated: false)
        profile.kinds = kinds
        profile.inputs = inputs
        for part in parts { profile.withheld[part.quantity] = part.unscaled }
        for flaw in flaws { profile.withheld[flaw.quantity] = flaw.fault.description }
        profile.identity = sighting?.identityText ?? remoteIdentity
        profile.axes = parts.contains { $0.mount?.mounted.axes == .chip } ? .chip : .device
        return profile
    }

    /// What is known of a device of another host: its number there may change.
    private var remoteIdentity: String {
        "\(address) " + ([device.name, device.label].compactMap { $0 }.joined(separator: " "))
    }

    /// `mount matrix from mount_matrix`, or one for each kind if they differ; for people.
    private var mounting: [String] {
        let mounted = parts.compactMap { part in part.mount.map { (part.kind, $0.words) } }
        if mounted.allSatisfy({ $0.1 == mounted[0].1 }) { return mounted.prefix(1).map(\.1) }
        return mounted.map { "\($0.row.resource) with \($1)" }
    }

    /// The intervals at which it can be polled.
    ///
    /// Each kind costs three calls, and over the network three round trips.
    var pollingNanoseconds: ClosedRange<Int64> { (address.isNetwork ? 10_000_000 : 1_000_000)...10_000_000_000 }

    /// The shortest interval at which it can run; nil if it sets its own pace.
    var shortestNanoseconds: Int64? { ownIntervals?.shortestNanoseconds }

    /// Those of its chip, which a timer follows unless other devices have it, too.
    private var ownIntervals: OfferedIntervals? {
        if let timer, timer.fixedNanoseconds != nil || rates.isEmpty { return timer.offered.intervals }
        return OfferedRates.intervals(of: rates.map(\.offered))
    }

    /// The intervals that it offers; if it is polled, those at which polling makes sense.
    private func offeredIntervals(polledBecause reason: PollingReason?) -> OfferedIntervals {
        let own = ownIntervals
        guard let reason, reason != .slow else { return own ?? .fixed(shortestNanoseconds: Pace.guessNanoseconds) }
        let shortest = max(own?.shortestNanoseconds ?? 0, pollingNanoseconds.lowerBound)
        let longest = max(shortest, pollingNanoseconds.upperBound)
        return .range(shortestNanoseconds: shortest, longestNanoseconds: longest)
    }

    /// The fault for a failed call on it.
    func fault(_ error: SystemError) -> DeviceFault { DeviceFault(error, device: device.id, at: address) }

    private static func device(
        of kind: Kind, among devices: [IIODevice], _ address: IIOAddress, _ sighting: Sighting?
    ) throws(DeviceFault) -> IIODevice {
        if let sighting {
            if let device = devices.first(where: { $0.id == sighting.id && !$0.kinds.isEmpty }) { return device }
        } else {
            let owners = KindOwners(among: devices.map(\.kinds))
            if let owner = owners.owner(startedBy: kind) { return devices[owner.device] }
            if let starter = owners.starter(of: kind) { throw DeviceFault(kind, isPartOf: starter, at: address) }
        }
        let words = "no IIO \(kind.row.resource) at \(address) (no device has \(kind.attributes))"
        throw DeviceFault(.missing, "\(words): connect one, load its driver, or name another address")
    }

    /// `voltage1 (vbus)`, for each input of several, or with a label.
    private static func names(of parts: [Part]) throws(SystemError) -> [Quantity: String] {
        var names: [Quantity: String] = [:]
        for part in parts where part.channels.count == 1 {
            let channel = part.channels[0]
            let label = try IIOAttribute("label", of: .channel(channel))?.readIfPossible() ?? channel.name
            let isOneOfSeveral = parts.count { $0.kind == part.kind } > 1
            guard isOneOfSeveral || label != nil else { continue }
            names[part.quantity] = channel.id + (label.map { " (\(printable($0)))" } ?? "")
        }
        return names
    }

    private static func layout(of device: IIODevice, _ parts: [Part]) -> ScanLayout? {
        guard device.channels.allSatisfy({ !$0.isScanElement || $0.hasWidth }) else { return nil }
        let groups = parts.compactMap(\.group)
        guard groups.count == parts.count else { return nil }
        let layout = ScanLayout(groups, timestamp: device.channels.first { $0.isInput && $0.id == "timestamp" })
        return layout.isEven ? layout : nil
    }
}

extension Sensor.Part {
    /// Reads what is needed to understand a kind of a device.
    init(
        _ quantity: Quantity, _ channels: [IIOChannel], _ device: IIODevice, _ trigger: IIODevice?,
        _ options: SensorOptions, _ calibration: Calibration?
    ) throws(DeviceFault) {
        let kind = quantity.kind
        let owners: [IIOAttribute.Owner] = [.device(device), .channel(channels[0]), .buffer(device)]
        let scales: [AxisConversion.Axis]?
        let nearness: Nearness
        do throws(SystemError) {
            rates = try RateControl(owners + (trigger.map { [.device($0)] } ?? []))
            scales = try Self.scales(of: channels, kind, isCalibrated: calibration != nil)
            nearness = kind == .proximity ? try Self.nearness(of: channels[0], device, options) : Nearness(level: 0)
        } catch {
            // Another host's udev database cannot be read from here.
            let setting =
                kind == .proximity && !options.address.isNetwork
                ? "let a rule of udev set PROXIMITY_NEAR_LEVEL" : nil
            throw DeviceFault(unread: error, device: device.id, at: options.address, setting: setting)
        }
        isProcessed = scales == nil && channels.count == 1 && channels[0].attributes.contains("input")
        let isBare = scales?.isEmpty ?? false
        hasAssumedScale = isBare && calibration == nil && kind.row.iio?.assumesScale ?? false
        if isProcessed || scales != nil {
            unscaled = nil
        } else {
            let what = "the \(kind.row.resource) of \(device.id) at \(options.address)"
            let cure = kind.row.canBeCalibrated ? "; set [\(kind.row.section)] Scale= if you know it" : ""
            let words = "\(what) has no usable scale: its readings mean nothing\(cure)"
            // The direction of equal counts is known: iio-sensor-proxy takes 1 for the scale.
            guard kind.hasDirection, Self.haveCounts(channels) else { throw DeviceFault(.failed, words) }
            unscaled = words
        }
        mount = kind.row.frame == .device ? try MountSource(kind, options, device, axis: channels[0]) : nil
        conversion = AxisConversion(
            of: quantity, isProcessed || isBare ? [.one] : scales ?? [.one],
            // A bare count, whose unit only the administrator knows.
            factor: isBare || unscaled != nil ? 1 : kind.row.iio?.factor(ofDriver: device.name) ?? 1,
            mounted: mount?.mounted, calibration: calibration, nearness: nearness)
        self.quantity = quantity
        self.channels = channels
        repetitions = kind.row.iio?.shape == .repeated ? kind.row.channels.count : 1
    }

    /// Its channels in a scan; nil if they cannot be in one.
    fileprivate var group: ScanLayout.Group? {
        isProcessed ? nil : ScanLayout.Group(channels, repetitions: repetitions)
    }

    /// Whether a buffer can have it.
    var canBeBuffered: Bool { group != nil }

    /// One scale for each channel; empty if counts are wanted, the administrator calibrates them, or they count as the unit; nil
    /// if a channel has no scale.
    private static func scales(
        of channels: [IIOChannel], _ kind: Kind, isCalibrated: Bool
    ) throws(SystemError) -> [AxisConversion.Axis]? {
        guard haveCounts(channels) else { return nil }
        guard kind.row.iio?.isScaled ?? true else { return [] }
        var scales: [AxisConversion.Axis] = []
        for channel in channels {
            let scale = try IIOAttribute("scale", of: .channel(channel))?.readIfThere()
            let offset = try IIOAttribute("offset", of: .channel(channel))?.readIfThere()
            if let scale = scale.flatMap({ AxisConversion.Axis(scale: $0, offset: offset) }) { scales.append(scale) }
        }
        if scales.count == channels.count { return scales }
        let isProcessed = channels.allSatisfy { $0.attributes.contains("input") }
        let isKnown = isCalibrated || kind.row.iio?.assumesScale ?? false
        return isKnown && !isProcessed && scales.isEmpty ? [] : nil
    }

    private static func haveCounts(_ channels: [IIOChannel]) -> Bool {
        channels.allSatisfy { $0.isScanElement || $0.attributes.contains("raw") }
    }

    /// The count from which on something is near, from udev's database or the driver, in iio-sensor-proxy's order.
    private static func nearness(
        of channel: IIOChannel, _ device: IIODevice, _ options: SensorOptions
    ) throws(SystemError) -> Nearness {
        let property =
            options.address.isNetwork
            ? nil
            : UdevDatabase().property("PROXIMITY_NEAR_LEVEL", of: "\(LocalSensors.directory)/\(device.id)")
        // Not asked for if udev has it: then a driver that cannot does no harm.
        var text = property
        if text == nil { text = try IIOAttribute("nearlevel", of: .channel(channel))?.readIfThere() }
        return Nearness(
            level: text.flatMap { Double($0) }.flatMap { (0...1e12).contains($0) ? $0 : nil } ?? 0)
    }
}
