internal import Glibc
internal import Platform

/// What can fill a device's buffer; without any of this a buffer stays empty or cannot even be started.
struct BufferDrive {
    /// The trigger that is set for a device.
    private enum Setting {
        /// The device takes no trigger.
        case unsupported
        case unset
        /// Set; nil if libiio does not list it.
        case set(IIODevice?)
    }

    private let device: IIODevice
    private let setting: Setting
    /// The device's own trigger, whether it is set or not.
    private let own: IIODevice?
    private let timer: IIODevice?
    /// Whether another device has the trigger that is set.
    private let isShared: Bool
    /// Whether the device collects samples without a trigger.
    let hasFIFO: Bool

    /// Finds out which of the triggers among all devices one may use.
    init(of device: IIODevice, among devices: [IIODevice]) throws(SystemError) {
        let triggers = devices.filter(\.isTrigger)
        self.device = device
        do {
            setting = try device.trigger().map { .set($0) } ?? .unset
        } catch {
            if error.endsContext { throw error }
            setting = error.code == ENXIO ? .set(nil) : .unsupported
        }
        own = triggers.first { Self.isTrigger($0.name, of: device.name, id: device.id) }
        timer = triggers.first { $0.name == TimerTrigger.name(for: device.id) }
        hasFIFO = device.bufferAttributes.contains { $0.hasPrefix("hwfifo_") }
        guard case .set(let trigger?) = setting, trigger.hasPace else {
            isShared = false
            return
        }
        isShared = devices.contains { other in
            // A device that takes no trigger has none.
            !other.isTrigger && other.id != device.id && (try? other.trigger())??.id == trigger.id
        }
    }

    /// True for the names that drivers give to a device's data-ready trigger: `NAME-devN` and `NAME-trigger`.
    static func isTrigger(_ trigger: String?, of device: String?, id: String) -> Bool {
        guard let trigger, let device, let number = id.deviceNumber else { return false }
        return trigger == "\(device)-dev\(number)" || trigger == "\(device)-trigger"
    }

    /// The ways to fill the buffer, best first; `withTimer`: whether the kernel can make a timer trigger.
    func rungs(withTimer: Bool) -> [CaptureRung] {
        let timer: [CaptureRung] = withTimer ? [.timer] : []
        switch setting {
        case .unsupported: return [.fifo]
        // A trigger that somebody has set is replaced only if it can be found again.
        case .set(let trigger) where trigger?.name != TimerTrigger.name(for: device.id):
            return [.trigger] + (hasFIFO && own != nil ? [.fifo] : []) + (own != nil ? timer : [])
        case .set, .unset: return (own != nil ? [.trigger] : []) + (hasFIFO ? [.fifo] : []) + timer
        }
    }

    func trigger(for rung: CaptureRung) -> IIODevice? {
        switch (rung, setting) {
        case (.trigger, .set(let trigger)) where trigger?.name != TimerTrigger.name(for: device.id): trigger
        case (.trigger, _): own
        case (.timer, _): timer
        default: nil
        }
    }

    /// The device's own trigger, if a rung needs that one; its driver may have put the pace there.
    func ownTrigger(for rung: CaptureRung) -> IIODevice? { trigger(for: rung).flatMap { $0.id == own?.id ? $0 : nil } }

    /// The timer by which a rung fills the buffer: ours, or a trigger that somebody has set, such as one made at boot.
    ///
    /// Its pace is that of the samples, however fast the chip measures. If other devices have it, too, it stays as it is.
    func timerRates(for rung: CaptureRung) throws(SystemError) -> RateControl? {
        guard let trigger = trigger(for: rung), trigger.id != own?.id else { return nil }
        return try RateControl(ofTimer: trigger, isShared: rung == .trigger && isShared)
    }

    /// Sets the trigger that a rung needs.
    func prepare(_ rung: CaptureRung) throws(SystemError) {
        switch (rung, setting) {
        case (.fifo, .set): try device.setTrigger(nil)
        case (.trigger, .set(nil)), (.fifo, _), (.polling, _): return
        case (.trigger, _), (.timer, _):
            guard let trigger = trigger(for: rung) else {
                throw SystemError("find trigger of \(device.id)", code: ENOENT)
            }
            if case .set(let current) = setting, current?.id == trigger.id { return }
            try device.setTrigger(trigger)
        }
    }
}

extension IIODevice {
    /// Whether a trigger is a timer.
    fileprivate var hasPace: Bool { attributes.contains("sampling_frequency") }
}

extension String {
    /// The number at the end of `iio:device3`.
    var deviceNumber: Int? { Int(String(reversed().prefix { ("0"..."9").contains($0) }.reversed())) }
}

/// A trigger that a kernel timer fires, made through configfs for a device that has none of its own.
///
/// Not every kernel has this kind (`iio-trig-hrtimer`), and only root can make one.
struct TimerTrigger: ~Copyable {
    private static let directory = "/sys/kernel/config/iio/triggers/hrtimer"
    private let deviceID: String

    /// Whether the kernel can make one for this process. `access(2)`
    static var isAvailable: Bool { unsafe access(directory, W_OK) == 0 }

    /// The name of the trigger for a device.
    static func name(for deviceID: String) -> String { "sensorbroker-\(deviceID.deviceNumber ?? 0)" }

    /// Makes the trigger for a device, or takes over one that a killed daemon left behind. `mkdir(2)`
    init(for deviceID: String) throws(SystemError) {
        let path = "\(Self.directory)/\(Self.name(for: deviceID))"
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else { throw SystemError.current("mkdir \(path)") }
        self.deviceID = deviceID
    }

    /// Detaches the trigger from the device, whose buffer must have stopped, and removes it. `rmdir(2)`
    deinit {
        let current = Descriptor(
            owning: unsafe open(
                "\(LocalSensors.directory)/\(deviceID)/trigger/current_trigger", O_WRONLY | O_CLOEXEC))
        if current.number >= 0 { _ = unsafe write(current.number, "\n", 1) }
        _ = unsafe rmdir("\(Self.directory)/\(Self.name(for: deviceID))")
    }
}
