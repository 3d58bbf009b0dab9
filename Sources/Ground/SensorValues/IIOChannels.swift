/// The channels of an IIO device that measure a kind, by the kernel's names, and their unit.
package struct IIOChannels: Equatable, Sendable {
    /// How the channels of the kind map to those of the device.
    package enum Shape: Sendable {
        /// Each is a channel of the device, named by its axis: `accel_x`.
        case axes
        /// The kind has one channel, named by its type and perhaps a number, which stands before what modifies the type, or two if
        /// it is a difference: `temp`, `voltage0`, `temp1_object`, `voltage0-voltage1`. A device may have several, each of which is
        /// an input for the kind.
        case single
        /// One channel of the device holds all channels of the kind: `rot_quaternion`.
        case repeated
    }

    /// The name of the channels, without the axis or the number: `accel`.
    package let type: String
    /// How the channels of the kind map to those of the device.
    package let shape: Shape
    /// Whether the driver must give a scale; without one, the value is the chip's own count.
    package let isScaled: Bool
    /// Whether a scale that the driver does not give is 1, as it is for iio-sensor-proxy.
    package let assumesScale: Bool
    /// The type up to the place of a number, and what follows that: `temp` and `_object`.
    private let stem: Substring
    private let modifier: Substring
    private let factor: Double
    private let factors: [String: Double]

    /// Channels of a type; `factors` are for the drivers, by name, whose unit differs from the kernel's rules.
    init(
        _ type: String, shape: Shape = .axes, factor: Double = 1, ofDrivers factors: [String: Double] = [:],
        isScaled: Bool = true, assumesScale: Bool = false
    ) {
        self.type = type
        stem = type.prefix { $0 != "_" }
        modifier = type.dropFirst(stem.count)
        self.shape = shape
        self.factor = factor
        self.factors = factors
        self.isScaled = isScaled
        self.assumesScale = assumesScale
    }

    /// The factor from a driver's unit to the unit of the kind.
    package func factor(ofDriver name: String?) -> Double { name.flatMap { factors[$0] } ?? factor }

    /// The channels of the kind's first input among those of a device, in the kind's order; nil if any is missing.
    package func ids(among ids: Set<String>) -> [String]? { inputs(among: ids).first }

    /// The channels of each input that a device has for the kind, in the kind's order.
    ///
    /// First the one without a number, then those with one by their numbers, then the differences of two: in that order whatever
    /// else is there, but one that comes later may come first and move the others.
    package func inputs(among ids: Set<String>) -> [[String]] {
        switch shape {
        case .axes: whole(["x", "y", "z"].map { "\(type)_\($0)" }, among: ids)
        case .repeated: whole([type], among: ids)
        case .single:
            ids.compactMap { id in place(of: id).map { (id: id, place: $0) } }
                .sorted { $0.place.lexicographicallyPrecedes($1.place) }.map { [$0.id] }
        }
    }

    private func whole(_ wanted: [String], among ids: Set<String>) -> [[String]] {
        wanted.allSatisfy(ids.contains) ? [wanted] : []
    }

    /// How many numbers a channel has, and which; nil if it is none of the kind.
    private func place(of id: String) -> [Int]? {
        guard id.hasPrefix(stem) else { return nil }
        if id == type { return [0] }
        var numbers: [Int] = []
        for part in id.split(separator: "-", omittingEmptySubsequences: false) {
            guard part.hasPrefix(stem), part.hasSuffix(modifier) else { return nil }
            let digits = part.dropFirst(stem.count).dropLast(modifier.count)
            guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits) else { return nil }
            numbers.append(number)
        }
        return numbers.count <= 2 ? [numbers.count] + numbers : nil
    }

    /// The attributes that identify a device of the kind, for people.
    package var attributes: String { shape == .axes ? "in_\(type)_x/y/z" : "in_\(type)" }

    /// The files in sysfs of which a device of the kind has at least one: the first of its channels, or the single one with or
    /// without a number.
    package var files: [String] {
        switch shape {
        case .axes: ["in_\(type)_x_raw", "scan_elements/in_\(type)_x_en"]
        case .repeated: ["in_\(type)_raw", "scan_elements/in_\(type)_en"]
        case .single:
            [type, "\(stem)0\(modifier)"].flatMap {
                ["in_\($0)_raw", "in_\($0)_input", "scan_elements/in_\($0)_en"]
            }
        }
    }
}
