/// What a sensor is known by when it comes back, whatever number the kernel gives it then.
///
/// Its serial number if it has one, else where it is connected; with its driver's name and place, since one hub may hold
/// several sensors under one serial number.
struct SensorIdentity: Hashable, Sendable {
    /// Of the device, or of the hub that it is part of.
    let serial: String?
    private let connection: String
    private let model: String
    /// Tells apart what nothing else does, in the order of the kernel's numbers.
    private(set) var ordinal = 0

    /// Of a serial number (the path is then of no account), or else of a path.
    init(serial: String?, path: String, name: String?, placement: Placement?) {
        self.serial = serial
        connection = serial == nil ? path : ""
        model = "\(name ?? "") \(placement?.label ?? "")"
    }

    /// The same with an ordinal.
    func numbered(_ ordinal: Int) -> SensorIdentity {
        var copy = self
        copy.ordinal = ordinal
        return copy
    }

    /// Whether this may be the other one, connected elsewhere: neither has a serial number, and they are of one model.
    func mayReplace(_ other: SensorIdentity) -> Bool { serial == nil && other.serial == nil && model == other.model }

    /// For an order that does not depend on when the kernel found them.
    var sortKey: String { "\(serial ?? "")\u{1}\(connection)\u{1}\(model)\u{1}\(ordinal)" }

    /// A path in /sys without the parts that count: those of the HID core and of platform devices without a number.
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
