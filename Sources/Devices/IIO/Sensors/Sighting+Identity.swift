extension Sighting {
    /// What identifies a sensor when it comes back, whatever number the kernel then gives it.
    ///
    /// Its serial number if it has one, and where it is connected; together with its driver's name and label, since one
    /// hub may hold several sensors under one serial number. Whoever has a serial number is the same at another place,
    /// unless several have it: makers give one number to all devices of a model. What udev has of its place may come
    /// later, or change.
    struct Identity: Hashable, Sendable {
        /// The serial number of the device, or of the hub that it is part of.
        let serial: String?
        private let connection: String
        private let model: String
        /// Distinguishes sensors that nothing else distinguishes, in the order of the kernel's numbers.
        private(set) var ordinal = 0

        /// An identity by serial number and path, or by path alone.
        init(serial: String?, path: String, name: String?, label: String?) {
            self.serial = serial
            connection = path
            model = "\(name ?? "") \(label ?? "")"
        }

        /// The same identity with an ordinal.
        func numbered(_ ordinal: Int) -> Self {
            var copy = self
            copy.ordinal = ordinal
            return copy
        }

        /// Whether this has the other sensor's serial number and model, wherever it is connected.
        func sharesSerial(with other: Self) -> Bool { serial != nil && serial == other.serial && model == other.model }

        /// Whether this may be the other sensor, connected elsewhere: neither has a serial number, and they are of one
        /// model.
        func mayReplace(_ other: Self) -> Bool { serial == nil && other.serial == nil && model == other.model }

        /// The same for whoever stores something about the sensor: `serial A1 accel_3d display`; with its place if the
        /// serial number does not distinguish it from others.
        func text(isShared: Bool = false) -> String {
            let places = [serial.map { "serial \($0)" }, serial == nil || isShared ? connection : nil]
            let words = places + [model.trimmed, ordinal > 0 ? "\(ordinal + 1)" : nil]
            return words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        }

        /// Sorts sensors independently of when the kernel found them.
        var sortKey: String { "\(serial ?? "")\u{1}\(connection)\u{1}\(model)\u{1}\(ordinal)" }

        /// A path in /sys without the parts that count up: those of the HID core and of automatically numbered
        /// platform devices.
        static func stablePath(_ path: String) -> String {
            path.split(separator: "/").filter { !$0.hasPrefix("iio:device") }.map(withoutCount).joined(separator: "/")
        }

        private static func withoutCount(_ part: Substring) -> Substring {
            if part.hasSuffix(".auto") {
                let stem = part.dropLast(5)
                return stem.lastIndex(of: ".").map { stem[..<$0] } ?? stem
            }
            // 0003:1209:0001.000A: bus, vendor, product and the count of HID devices.
            let words = part.split(separator: ":", omittingEmptySubsequences: false)
            guard words.count == 3, part.count == 19, let dot = part.lastIndex(of: ".") else { return part }
            return part[..<dot]
        }
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
