/// What a magnetometer's readings show of the device, and how well.
package struct FittedField: Equatable, Sendable {
    /// What to subtract, in microtesla, and what then makes a sphere of an ellipsoid.
    package let offset: Vector3
    package let matrix: Matrix3
    /// The length of a corrected field, in microtesla.
    package let strength: Double
    /// How far fields are from that length: one standard deviation, in microtesla.
    package let residual: Double
    /// How far a corrected field may be off along each axis, in microtesla: one standard deviation.
    package let error: Double
    /// Whether soft iron is known, and not only hard iron.
    package let isEllipsoid: Bool
    /// What further directions would improve, in parts of the strength.
    private let unknown: Double

    init(_ shell: FieldShell, isEllipsoid: Bool) {
        offset = shell.offset
        matrix = shell.matrix
        strength = shell.strength
        residual = shell.variance.squareRoot()
        error = (shell.unknownSquare + shell.variance).squareRoot()
        unknown = shell.unknownSquare.squareRoot() / shell.strength
        self.isEllipsoid = isEllipsoid
    }

    /// One standard deviation of a heading, in degrees, in the usual field of moderate latitudes.
    ///
    /// Two fifths of it are horizontal there.
    package var headingErrorDegrees: Double { error / (0.4 * strength) * 180 / .pi }

    /// Whether further directions would hardly improve it: they would make headings better by less than a degree.
    package var isComplete: Bool { isEllipsoid && unknown < Self.enough }

    private static let enough = 0.007
    private static let strengths = 22.0...67.0
    private static let factors = 0.7...1.4
    private static let mostResidual = 0.03

    /// What speaks against it; nil: nothing.
    var doubt: MagnetometerDoubt? {
        guard Self.strengths.contains(strength) else { return .strength(strength) }
        let axes = PrincipalAxes(matrix)
        guard Self.factors.contains(axes.least), Self.factors.contains(axes.most) else { return .distorted }
        return residual < Self.mostResidual * strength ? nil : .residual(residual / strength)
    }
}
