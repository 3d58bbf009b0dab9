/// What a gyroscope shows when nothing turns it, and how well that is known: a Kalman filter of three states.
///
/// Each observation is one number, along one direction of the device, so that no matrix is inverted.
package struct GyroscopeBias: Equatable, Sendable, BitwiseCopyable {
    /// In radians per second, along the device's axes.
    package private(set) var value: Vector3
    // The covariance, which is symmetric: on the diagonal, and beside it (y z, x z, x y).
    private var variance: Vector3
    private var covariance = Vector3.zero
    /// Whether anything was ever seen of it at rest.
    private var isKnown: Bool

    private static let degree = Double.pi / 180
    /// How uncertain the bias of a chip is of which nothing is known.
    private static let unknown = 0.8 * degree
    /// That of a chip which is as bad as they are sold.
    private static let worst = 20.0 * degree
    /// A bias changes by that in seconds, as a chip warms up.
    private static let sudden = 1.0 * degree
    /// That of a mean rate at rest, as a variance over a second, in (rad/s)² s.
    private static let restNoise = 0.0081 * degree * degree
    /// How fast it wanders: 0.1 °/s in 100 s, as a random walk, in (rad/s)² per second.
    private static let wander = 1e-4 * degree * degree

    /// The bias of a chip of which nothing is known.
    package init() {
        self.init(.zero, uncertain: Self.unknown)
        isKnown = false
    }

    /// A bias as it was learnt before, with its standard deviation along each axis, in radians per second.
    package init(_ value: Vector3, uncertain deviation: Double) {
        self.value = value
        let square = deviation * deviation
        variance = Vector3(x: square, y: square, z: square)
        isKnown = true
    }

    /// Its standard deviation along the axis of which least is known, in radians per second.
    package var uncertainty: Double { max(variance.x, variance.y, variance.z).squareRoot() }

    /// By how much another bias may differ.
    ///
    /// What differs more is a slow turn of a device that seems to rest.
    var mostSurprise: Double { isKnown ? max(Self.sudden, 4 * uncertainty) : Self.worst }

    /// Takes what time makes uncertain.
    mutating func age(seconds: Double) {
        let most = Self.unknown * Self.unknown
        let more = Self.wander * seconds
        variance.x = max(variance.x, min(variance.x + more, most))
        variance.y = max(variance.y, min(variance.y + more, most))
        variance.z = max(variance.z, min(variance.z + more, most))
    }

    /// Takes what the gyroscope showed at rest, for a while.
    mutating func observe(atRest rate: Vector3, for seconds: Double) {
        if !isKnown { value = rate }
        let noise = Self.restNoise / seconds
        observe(rate.x, along: Vector3(x: 1, y: 0, z: 0), variance: noise)
        observe(rate.y, along: Vector3(x: 0, y: 1, z: 0), variance: noise)
        observe(rate.z, along: Vector3(x: 0, y: 0, z: 1), variance: noise)
        isKnown = true
    }

    /// Takes what was seen of it along a direction.
    mutating func observe(_ observed: Double, along direction: Vector3, variance noise: Double) {
        assert(noise > 0, "no observation is exact")
        let spread = spread(along: direction)
        let gain = 1 / (direction.dot(spread) + noise)
        value += spread * ((observed - direction.dot(value)) * gain)
        variance.x -= spread.x * spread.x * gain
        variance.y -= spread.y * spread.y * gain
        variance.z -= spread.z * spread.z * gain
        covariance.x -= spread.y * spread.z * gain
        covariance.y -= spread.x * spread.z * gain
        covariance.z -= spread.x * spread.y * gain
        assert(variance.x > 0 && variance.y > 0 && variance.z > 0, "an observation leaves something uncertain")
    }

    /// How uncertain it is along a direction of length 1.
    func variance(along direction: Vector3) -> Double { max(0, direction.dot(spread(along: direction))) }

    /// How uncertain it is across a direction of length 1.
    func variance(across direction: Vector3) -> Double {
        max(0, variance.x + variance.y + variance.z - variance(along: direction))
    }

    private func spread(along direction: Vector3) -> Vector3 {
        Vector3(
            x: variance.x * direction.x + covariance.z * direction.y + covariance.y * direction.z,
            y: covariance.z * direction.x + variance.y * direction.y + covariance.x * direction.z,
            z: covariance.y * direction.x + covariance.x * direction.y + variance.z * direction.z)
    }
}
