/// An administrator's calibration of a sensor: the true value is reading × scale + offset.
public struct Calibration: Equatable, Sendable {
    /// For each channel; 1 if not configured.
    public var scale: SIMD4<Double>
    /// For each channel, in the unit of the kind; 0 if not configured.
    public var offset: SIMD4<Double>

    /// No calibration.
    public static let none = Self(scale: .one, offset: .zero)

    init(scale: SIMD4<Double>, offset: SIMD4<Double>) { (self.scale, self.offset) = (scale, offset) }

    func applied(to value: SIMD4<Double>) -> SIMD4<Double> { value * scale + offset }
}
