/// What makes the readings of a sensor with three axes true: an offset to subtract, and a matrix that multiplies the
/// rest.
///
/// It is in the unit of its resource, along the axes of its readings, and it is finite and plausible: the matrix can be
/// inverted and mirrors nothing. Whoever has one may use it without a further look.
package struct SensorCalibration: Equatable, Sendable, BitwiseCopyable {
    /// What the sensor shows where there is nothing to measure: subtracted first.
    package let offset: Vector3
    /// Multiplies what is left.
    package let matrix: Matrix3
    /// What may be left of a corrected reading's error along each axis: one standard deviation.
    package let error: Double
    /// When it was measured, since 1970.
    package let utcSeconds: Int64
    /// How warm the sensor was, if that is known.
    package let celsius: Double?

    /// Nil if no sensor is so far off.
    package init?(
        offset: Vector3, matrix: Matrix3 = .identity, error: Double, utcSeconds: Int64, celsius: Double? = nil
    ) {
        guard offset.isWithin(Self.mostOffset), matrix.distanceToIdentity < Self.mostDistortion,
            error >= 0, error <= Self.mostOffset, Self.seconds.contains(utcSeconds),
            celsius.map(Self.temperatures.contains) ?? true
        else { return nil }
        self.offset = offset
        self.matrix = matrix
        self.error = error
        self.utcSeconds = utcSeconds
        self.celsius = celsius
    }

    /// A reading, corrected.
    package func correct(_ reading: Vector3) -> Vector3 { matrix * (reading - offset) }

    private static let mostOffset = 1e6
    /// Below 1, no direction is mirrored or lost, since no vector is moved by its whole length.
    private static let mostDistortion = 0.9
    /// Until the year 10000.
    private static let seconds: ClosedRange<Int64> = 0...253_402_300_799
    private static let temperatures = -273.15...10_000
}
