internal import Devices
internal import Platform
internal import Readings

/// How a chip is mounted, and who says so.
///
/// The administrator comes first, then udev, whose database knows boards that their drivers do not, then the driver. Where
/// the database is wrong about a board, the order can be changed.
struct MountSource {
    /// nil where nobody says anything.
    let origin: MountOrigin?
    let matrix: MountMatrix

    /// The first of the places that says something; a fault where that is no matrix, since with guessed axes every reading
    /// would be wrong.
    init(
        _ kind: Kind, _ options: SensorOptions, _ device: IIODevice, axis: IIOChannel,
        udev: UdevDatabase = UdevDatabase()
    ) throws(DeviceFault) {
        // What people write down of a board is about its accelerometer.
        for origin in options.mountOrigins where kind == .acceleration || !origin.isAboutAccelerometers {
            if origin == .configuration {
                guard let configured = options.mountMatrix else { continue }
                (self.origin, matrix) = (origin, configured)
                return
            }
            guard let text = try Self.text(origin, options.address, device, axis, udev) else { continue }
            do throws(MountMatrix.Refusal) { matrix = try MountMatrix(text: text) } catch {
                let place = "\(device.id) at \(options.address) (\(origin.rawValue))"
                throw DeviceFault(
                    .failed,
                    "the mount matrix of \(place) cannot be used: \(error.words); "
                        + "correct it there, or set [Accelerometer] MountMatrix=")
            }
            self.origin = origin
            return
        }
        (origin, matrix) = (nil, .identity)
    }

    private static func text(
        _ origin: MountOrigin, _ address: IIOAddress, _ device: IIODevice, _ axis: IIOChannel, _ udev: UdevDatabase
    ) throws(DeviceFault) -> String? {
        do throws(SystemError) {
            switch origin {
            case .configuration: return nil
            case .udev:
                // Another host's is not ours to look into.
                guard !address.isNetwork else { return nil }
                return udev.property("ACCEL_MOUNT_MATRIX", of: "\(SensorCensus.usualDevices)/\(device.id)")
            case .device: return try IIOAttribute("mount_matrix", of: .device(device))?.readIfPossible()
            case .channel: return try IIOAttribute("mount_matrix", of: .channel(axis))?.readIfPossible()
            case .input:
                // libiio takes it for an attribute `matrix` of a channel `mount`.
                let stray = device.channels.first { $0.id == "mount" }
                return try stray.flatMap { IIOAttribute("matrix", of: .channel($0)) }?.readIfPossible()
            }
        } catch { throw DeviceFault(error, device: device.id, at: address) }
    }
}
