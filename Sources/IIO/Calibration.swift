public import Readings

/// What an administrator has found out about a sensor: reading × scale + offset is the truth.
public struct Calibration: Equatable, Sendable {
    /// For each channel; 1 where nothing is said.
    public var scale: SIMD4<Double>
    /// For each channel, in the unit of the kind; 0 where nothing is said.
    public var offset: SIMD4<Double>

    /// Nothing found out.
    public static let none = Self(scale: .one, offset: .zero)

    init(scale: SIMD4<Double>, offset: SIMD4<Double>) { (self.scale, self.offset) = (scale, offset) }

    func applied(to value: SIMD4<Double>) -> SIMD4<Double> { value * scale + offset }
}

extension Kind {
    /// Whether its numbers can be calibrated one by one: they are no parts of a rotation, and no count.
    public var canBeCalibrated: Bool { row.iio?.isScaled == true && row.mean != .spherical }
}
