/// A message of the kernel about a device that came, went or changed.
struct Uevent: Equatable {
    /// What happened: `add`, `remove`, `change` and others.
    let action: String
    let subsystem: String
    /// `iio_device` for devices; triggers, which are in the same subsystem, have none.
    let type: String?

    /// Reads `ACTION@DEVPATH` and assignments, each ended by a zero byte; nil for anything else.
    init?(_ bytes: some Sequence<UInt8>) {
        var values: [String: String] = [:]
        for field in Array(bytes).split(separator: 0) {
            let parts = String(decoding: field, as: UTF8.self).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        guard let action = values["ACTION"], let subsystem = values["SUBSYSTEM"] else { return nil }
        self.action = action
        self.subsystem = subsystem
        type = values["DEVTYPE"]
    }

    /// Whether it is about an IIO device.
    var concernsSensors: Bool { subsystem == "iio" && type == "iio_device" }
}
