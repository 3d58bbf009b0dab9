internal import Mock
internal import Motion
internal import Readings

/// How the simulated host moves, and what a perfect sensor of it measures.
struct HostTruth {
    /// When it begins, on the clock of samples.
    static let start: Int64 = 1_000_000_000_000
    private let motion: HostMotion
    private let field = FieldShape(strength: 50, dipDegrees: 68)

    init(seed: UInt64) { motion = .held(seed: seed) }

    func moment(_ stamp: Int64) -> Moment {
        motion.moment(atSeconds: Double(stamp - Self.start) * 1e-9, in: field)
    }

    /// Of the angle between a measured gravity and the true one, if both are as strong; less if not.
    func cosine(ofGravity values: Values, _ stamp: Int64) -> Double {
        let gravity = moment(stamp).gravity
        return gravity.dot(Vector3(x: values[0], y: values[1], z: values[2])) / gravity.lengthSquared
    }

    func measurement(of kind: Kind, _ stamp: Int64) -> Measurement {
        let moment = moment(stamp)
        let vector: Vector3 =
            switch kind {
            case .angularVelocity: moment.rate
            case .magneticField: moment.field
            default: moment.acceleration
            }
        return .values(Values(kind, SIMD4(vector.x, vector.y, vector.z, 0)))
    }
}
