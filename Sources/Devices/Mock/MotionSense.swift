internal import Motion
package import Readings

/// What a perfect sensor of a kind measures of its host's motion.
package struct MotionSense: Sendable {
    private typealias Row = (wanted: MotionParts, measure: @Sendable (Moment) -> SIMD4<Double>)

    private let motion: HostMotion
    private let field: SurroundingField
    private let row: Row

    /// Creates a sensor; nil for kinds that do not follow from a motion.
    package init?(of kind: Kind, _ motion: HostMotion, _ field: SurroundingField) {
        guard let row = Self.rows[kind] else { return nil }
        self.motion = motion
        self.field = field
        self.row = row
    }

    /// Whether a kind follows from a motion.
    package static func has(_ kind: Kind) -> Bool { rows[kind] != nil }

    func value(atSeconds seconds: Double) -> SIMD4<Double> {
        row.measure(motion.moment(atSeconds: seconds, in: field.shape(atSeconds: seconds), row.wanted))
    }

    private static let rows: [Kind: Row] = [
        .acceleration: (.acceleration, { SIMD4($0.acceleration) }),
        .angularVelocity: (.rate, { SIMD4($0.rate) }),
        .magneticField: (.field, { SIMD4($0.field) }),
        .gravity: ([], { SIMD4($0.gravity) }),
        .linearAcceleration: (.acceleration, { SIMD4($0.acceleration - $0.gravity) }),
        .rotation: ([], { SIMD4($0.attitude.x, $0.attitude.y, $0.attitude.z, $0.attitude.w) }),
        .heading: (
            [],
            { moment in
                var bearing = Bearing()
                return SIMD4(bearing.degrees(moment.attitude), 0, 0, 0)
            }
        ),
        .inclination: ([], { SIMD4($0.inclination) }),
    ]
}

extension SIMD4<Double> {
    fileprivate init(_ vector: Vector3) { self.init(vector.x, vector.y, vector.z, 0) }
}
