/// The channels of an IIO device that measure a kind, by the kernel's names, and their unit.
package struct IIOChannels: Equatable, Sendable {
    /// How the channels of the kind map to those of the device.
    package enum Shape: Sendable {
        /// Each is a channel of the device, named by its axis: `accel_x`.
        case axes
        /// The kind has one channel, named by its type and perhaps a number: `temp`, `voltage0`.
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
    private let factor: Double
    private let factors: [String: Double]

    /// Channels of a type; `factors` are for the drivers, by name, whose unit differs from the kernel's rules.
    init(
        _ type: String, shape: Shape = .axes, factor: Double = 1, ofDrivers factors: [String: Double] = [:],
        isScaled: Bool = true
    ) {
        self.type = type
        self.shape = shape
        self.factor = factor
        self.factors = factors
        self.isScaled = isScaled
    }

    /// The factor from a driver's unit to the unit of the kind.
    package func factor(ofDriver name: String?) -> Double { name.flatMap { factors[$0] } ?? factor }

    /// The channels of the kind among those of a device, in the kind's order; nil if any is missing.
    ///
    /// If several are numbered, the first is taken.
    package func ids(among ids: Set<String>) -> [String]? {
        let wanted: [String]
        switch shape {
        case .axes: wanted = ["x", "y", "z"].map { "\(type)_\($0)" }
        case .repeated: wanted = [type]
        case .single: wanted = ids.contains(type) ? [type] : numbered(among: ids).map { ["\(type)\($0)"] } ?? [type]
        }
        return wanted.allSatisfy(ids.contains) ? wanted : nil
    }

    private func numbered(among ids: Set<String>) -> Int? {
        ids.compactMap { id in
            let digits = id.dropFirst(type.count)
            return id.hasPrefix(type) && digits.allSatisfy { ("0"..."9").contains($0) } ? Int(digits) : nil
        }.min()
    }

    /// The attributes that identify a device of the kind, for people.
    package var attributes: String { shape == .axes ? "in_\(type)_x/y/z" : "in_\(type)" }
}
