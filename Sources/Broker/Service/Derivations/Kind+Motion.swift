internal import Motion
internal import Readings

/// What is derived from the motion of a device.
extension Kind {
    /// The kinds that are.
    static let ofMotion: [Kind] = [
        .attitude, .gravity, .linearAcceleration, .rotation, .heading, .attitudeError, .gyroscopeBias, .rest,
        .trueHeading,
    ]

    /// Whether there is none without a magnetometer.
    var needsNorth: Bool { self == .rotation || self == .heading || needsPlace }
    /// Whether there is none without a receiver.
    var needsPlace: Bool { self == .trueHeading }
    /// Whether a magnetometer changes it.
    var usesNorth: Bool { needsNorth || self == .attitudeError }

    /// What follows for it from a filter, with the declination in degrees; nil: that is not known.
    func measurement(
        _ filter: borrowing MotionFilter, _ bearing: inout Bearing, declination: @autoclosure () -> Double?
    ) -> Measurement? {
        switch self {
        case .attitude: filter.attitude.map { values($0.components) }
        case .gravity: filter.gravityVector.map { values($0.components) }
        case .linearAcceleration: filter.linearAcceleration.map { values($0.components) }
        case .rotation: filter.rotation.map { values($0.components) }
        case .heading: filter.rotation.map { values(SIMD4(bearing.degrees($0), 0, 0, 0)) }
        case .attitudeError:
            values(SIMD4(filter.tiltErrorRadians, filter.headingErrorRadians, 0, 0) * (180 / .pi))
        case .gyroscopeBias: values(filter.bias.value.components)
        case .rest: values(SIMD4(filter.isAtRest ? 1 : 0, 0, 0, 0))
        case .trueHeading:
            filter.rotation.flatMap { rotation in
                declination().map { values(SIMD4(Bearing.wrapped(bearing.degrees(rotation) + $0), 0, 0, 0)) }
            }
        default: nil
        }
    }

    private func values(_ components: SIMD4<Double>) -> Measurement { .values(Values(self, components)) }
}

extension Vector3 {
    fileprivate var components: SIMD4<Double> { SIMD4(x, y, z, 0) }

    /// The vector of a reading, in the kind's unit.
    init(_ values: Values) { self.init(x: values[0], y: values[1], z: values[2]) }
}

extension Quaternion {
    fileprivate var components: SIMD4<Double> { SIMD4(x, y, z, w) }
}
