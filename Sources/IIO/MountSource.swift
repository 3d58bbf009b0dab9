internal import Devices
internal import Platform

/// Where a driver says how its chip is mounted: for the device, for its accelerometer, or for all that it takes in.
struct MountSource {
    /// The name of the file in sysfs; nil where there is none.
    let file: String?
    private let text: String

    /// Reads the first of `mount_matrix`, `in_accel_mount_matrix` and `in_mount_matrix` that there is.
    init(device: IIODevice, axis: IIOChannel) throws(SystemError) {
        // libiio takes the last for an attribute `matrix` of a channel `mount`.
        let stray = device.channels.first { $0.id == "mount" }
        let sources = [
            ("mount_matrix", IIOAttribute("mount_matrix", of: .device(device))),
            ("in_accel_mount_matrix", IIOAttribute("mount_matrix", of: .channel(axis))),
            ("in_mount_matrix", stray.flatMap { IIOAttribute("matrix", of: .channel($0)) }),
        ]
        for (file, attribute) in sources {
            guard let text = try attribute?.readIfPossible() else { continue }
            self.file = file
            self.text = text
            return
        }
        file = nil
        text = ""
    }

    /// The matrix; a fault where it is none, since with guessed axes every reading would be wrong.
    func matrix(of device: String) throws(DeviceFault) -> MountMatrix {
        do { return try MountMatrix(text: text) } catch {
            throw DeviceFault(
                .failed, "the mount matrix of \(device) (\(file ?? "none")) cannot be used: \(error.words); correct it")
        }
    }
}
