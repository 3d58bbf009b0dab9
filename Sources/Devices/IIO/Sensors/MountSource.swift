internal import Devices
internal import Platform
internal import Readings

/// How a chip is mounted, and where that is from.
///
/// The administrator comes first, then udev, whose database knows boards that their drivers do not, then the driver. If
/// the database is wrong about a board, the order can be changed. One chip measures everything that one device
/// measures: the accelerometer's matrix also holds for the gyroscope, unless the driver gives one for it. Drivers
/// report the identity if the firmware has none, so a driver's identity means nothing.
struct MountSource {
    /// Where it is from, for people: `udev`; nil if it is from nowhere.
    let name: String?
    /// The axes that follow from it.
    let mounted: MountedAxes

    /// The first origin that has a matrix for a kind of a device.
    ///
    /// An unusable matrix is a fault, since with guessed axes every reading would be wrong.
    init(
        _ kind: Kind, _ options: SensorOptions, _ device: IIODevice, axis: IIOChannel,
        udev: UdevDatabase = UdevDatabase()
    ) throws(DeviceFault) {
        let found = try Self.found(kind, options, device, axis, udev)
        name = found?.name
        mounted = MountedAxes(found?.matrix, isHID: device.isHIDSensor)
    }

    private static func found(
        _ kind: Kind, _ options: SensorOptions, _ device: IIODevice, _ axis: IIOChannel, _ udev: UdevDatabase
    ) throws(DeviceFault) -> (name: String, matrix: MountMatrix)? {
        let accelerometer = device.channels(of: .acceleration)?.first
        for origin in options.mountOrigins {
            switch origin {
            case .configuration:
                if accelerometer != nil, let matrix = options.mountMatrix { return (origin.words, matrix) }
            case .udev:
                // Another host's udev database cannot be read from here.
                if !options.address.isNetwork,
                    let text = udev.property("ACCEL_MOUNT_MATRIX", of: "\(LocalSensors.directory)/\(device.id)")
                {
                    return (origin.words, try matrix(text, of: device, options, origin.words))
                }
            case .device, .channel, .input:
                let axes = [(kind, axis)] + (accelerometer.map { [(.acceleration, $0)] } ?? [])
                for (kind, axis) in origin == .channel ? axes : Array(axes.prefix(1)) {
                    let name = origin == .channel ? kind.mountAttribute : origin.words
                    guard let text = try text(origin, options, device, axis) else { continue }
                    let matrix = try matrix(text, of: device, options, name)
                    if matrix != .identity { return (name, matrix) }
                }
            }
        }
        return nil
    }

    /// `mount matrix from mount_matrix`; for people.
    var words: String { name.map { "mount matrix from \($0)" } ?? "no mount matrix" }

    private static func matrix(
        _ text: String, of device: IIODevice, _ options: SensorOptions, _ name: String
    ) throws(DeviceFault) -> MountMatrix {
        do throws(MountMatrix.Refusal) { return try MountMatrix(text: text) } catch {
            throw DeviceFault(
                .failed,
                "the mount matrix of \(device.id) at \(options.address) (\(name)) cannot be used: \(error.words); "
                    + "correct it there, or set [Accelerometer] MountMatrix=")
        }
    }

    /// The matrix that a driver gives.
    private static func text(
        _ origin: MountOrigin, _ options: SensorOptions, _ device: IIODevice, _ axis: IIOChannel
    ) throws(DeviceFault) -> String? {
        let attribute: IIOAttribute? =
            switch origin {
            case .configuration, .udev: nil
            case .device: IIOAttribute("mount_matrix", of: .device(device))
            case .channel: IIOAttribute("mount_matrix", of: .channel(axis))
            // libiio takes it for an attribute `matrix` of a channel `mount`.
            case .input:
                device.channels.first { $0.id == "mount" }.flatMap { IIOAttribute("matrix", of: .channel($0)) }
            }
        do throws(SystemError) { return try attribute?.readIfThere() } catch {
            let setting = "set [Accelerometer] MountMatrix=, or leave \(origin.words) out of MountMatrixSources="
            throw DeviceFault(unread: error, device: device.id, at: options.address, setting: setting)
        }
    }
}

extension IIODevice {
    /// Whether it is a HID sensor that measures a vector: their drivers give their devices these names.
    ///
    /// Of another host's devices only the driver's name is known.
    var isHIDSensor: Bool { ["accel_3d", "gravity", "gyro_3d", "magn_3d"].contains(name) }
}

extension Kind {
    /// The attribute in which a driver gives the mount matrix for this kind.
    fileprivate var mountAttribute: String { "in_\(channelType ?? wire)_mount_matrix" }
}
