extension Sighting {
    /// What identifies a sensor when it comes back, whatever number the kernel then gives it.
    ///
    /// Its serial number if it has one, else where it is connected; together with its driver's name and label, since one
    /// hub may hold several sensors under one serial number. What udev says of its place may come later, or change.
    struct Identity: Hashable, Sendable {
        /// The serial number of the device, or of the hub that it is part of.
        let serial: String?
        private let connection: String
        private let model: String
        /// Distinguishes sensors that nothing else distinguishes, in the order of the kernel's numbers.
        private(set) var ordinal = 0

        /// An identity by serial number (the path is then ignored), or else by path.
        init(serial: String?, path: String, name: String?, label: String?) {
            self.serial = serial
            connection = serial == nil ? path : ""
            model = "\(name ?? "") \(label ?? "")"
        }

        /// The same identity with an ordinal.
        func numbered(_ ordinal: Int) -> Self {
            var copy = self
            copy.ordinal = ordinal
            return copy
        }

        /// Whether this may be the other sensor, connected elsewhere: neither has a serial number, and they are of one
        /// model.
        func mayReplace(_ other: Self) -> Bool { serial == nil && other.serial == nil && model == other.model }

        /// The same for whoever stores something about the sensor: `serial A1 accel_3d display`.
        var text: String {
            let place = serial.map { "serial \($0)" } ?? connection
            let words = [place, model.trimmed] + (ordinal > 0 ? ["\(ordinal + 1)"] : [])
            return words.filter { !$0.isEmpty }.joined(separator: " ")
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
