/// How uncertain a vector is that is learnt by a Kalman filter, along the axes of a frame.
///
/// Each observation is one number, along one direction, so that no matrix is inverted.
struct Covariance: Equatable, BitwiseCopyable {
    // A symmetric matrix: on the diagonal, and beside it (y z, x z, x y).
    private var diagonal: Vector3
    private var beside = Vector3.zero

    /// Alike along all axes, one standard deviation.
    init(deviation: Double) {
        let square = deviation * deviation
        diagonal = Vector3(x: square, y: square, z: square)
    }

    /// The variance along the axis of which least is known.
    var most: Double { max(diagonal.x, diagonal.y, diagonal.z) }

    /// The variance along a direction of length 1.
    func along(_ direction: Vector3) -> Double { max(0, direction.dot(spread(along: direction))) }

    /// The variance across a direction of length 1.
    func across(_ direction: Vector3) -> Double {
        max(0, diagonal.x + diagonal.y + diagonal.z - along(direction))
    }

    /// Makes it more uncertain along each axis, up to a limit.
    mutating func age(by more: Double, to most: Double) {
        diagonal.x = max(diagonal.x, min(diagonal.x + more, most))
        diagonal.y = max(diagonal.y, min(diagonal.y + more, most))
        diagonal.z = max(diagonal.z, min(diagonal.z + more, most))
    }

    /// Makes it at least so uncertain along a direction of length 1.
    mutating func grow(along axis: Vector3, to variance: Double) {
        let more = max(0, variance - along(axis))
        diagonal += Vector3(x: axis.x * axis.x, y: axis.y * axis.y, z: axis.z * axis.z) * more
        beside += Vector3(x: axis.y * axis.z, y: axis.x * axis.z, z: axis.x * axis.y) * more
    }

    /// Takes an observation along a direction of length 1, with its variance; returns by what the vector changes, for
    /// each unit by which it was seen to differ.
    mutating func observe(along direction: Vector3, variance noise: Double) -> Vector3 {
        assert(noise > 0, "no observation is exact")
        let spread = spread(along: direction)
        let gain = 1 / (direction.dot(spread) + noise)
        diagonal.x -= spread.x * spread.x * gain
        diagonal.y -= spread.y * spread.y * gain
        diagonal.z -= spread.z * spread.z * gain
        beside.x -= spread.y * spread.z * gain
        beside.y -= spread.x * spread.z * gain
        beside.z -= spread.x * spread.y * gain
        assert(diagonal.x > 0 && diagonal.y > 0 && diagonal.z > 0, "an observation leaves something uncertain")
        return spread * gain
    }

    private func spread(along direction: Vector3) -> Vector3 {
        Vector3(
            x: diagonal.x * direction.x + beside.z * direction.y + beside.y * direction.z,
            y: beside.z * direction.x + diagonal.y * direction.y + beside.x * direction.z,
            z: beside.y * direction.x + beside.x * direction.y + diagonal.z * direction.z)
    }
}
