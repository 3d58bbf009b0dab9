/// The channels of an IIO device that measure a kind, by the kernel's names, and their unit.
public struct IIOChannels: Equatable, Sendable {
    /// How the channels of the kind are spread over those of the device.
    public enum Shape: Sendable {
        /// Each is one of the device's, named by an axis: `accel_x`.
        case axes
        /// There is one, with the name of its type and perhaps a number: `temp`, `voltage0`.
        case single
        /// One channel of the device holds all of them in a row: `rot_quaternion`.
        case repeated
    }

    /// The name of the channels, without the axis or the number: `accel`.
    public let type: String
    /// How the channels of the kind are spread over those of the device.
    public let shape: Shape
    /// Whether the driver has to give a scale; what has none is the chip's own count.
    public let isScaled: Bool
    private let factor: Double
    private let factors: [String: Double]

    /// Channels of a type; `factors` are those of drivers, by name, whose unit is not the one of the kernel's rules.
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

    /// How many of the kind's unit one of a driver's is.
    public func factor(ofDriver name: String?) -> Double { name.flatMap { factors[$0] } ?? factor }

    /// The channels among those of a device, in the order of the kind's; nil if they are not all there.
    ///
    /// Of several numbered ones it is the first.
    public func ids(among ids: Set<String>) -> [String]? {
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

    /// The attributes by which a device of the kind is known, for people.
    public var attributes: String { shape == .axes ? "in_\(type)_x/y/z" : "in_\(type)" }
}
