internal import Glibc
internal import Platform

/// A trigger that a timer of the kernel fires, made through configfs for a device that has none of its own.
///
/// Not every kernel has them (`iio-trig-hrtimer`), and making one takes root's rights.
struct TimerTrigger: ~Copyable {
    private static let directory = "/sys/kernel/config/iio/triggers/hrtimer"
    private let deviceID: String

    /// Whether the kernel can make one for this process. `access(2)`
    static var isAvailable: Bool { unsafe access(directory, W_OK) == 0 }

    /// What the trigger for a device is called.
    static func name(for deviceID: String) -> String { "sensorbroker-\(deviceID.deviceNumber ?? 0)" }

    /// Makes the trigger for a device; one that a killed daemon left behind will do. `mkdir(2)`
    init(for deviceID: String) throws(SystemError) {
        let path = "\(Self.directory)/\(Self.name(for: deviceID))"
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else { throw SystemError.current("mkdir \(path)") }
        self.deviceID = deviceID
    }

    /// Takes the trigger from the device, whose buffer must not run any more, and removes it. `rmdir(2)`
    deinit {
        let current = Descriptor(
            owning: unsafe open(
                "\(SensorCensus.usualDevices)/\(deviceID)/trigger/current_trigger", O_WRONLY | O_CLOEXEC))
        if current.number >= 0 { _ = unsafe write(current.number, "\n", 1) }
        _ = unsafe rmdir("\(Self.directory)/\(Self.name(for: deviceID))")
    }
}
