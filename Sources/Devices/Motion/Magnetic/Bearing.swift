/// Where a device points, in degrees clockwise from north: its top edge, or its back while the top edge points up or
/// down.
///
/// So a telephone that lies on a map shows where its top edge points, and one that is held before the eyes where they
/// look. Between the two it keeps to what it did before.
package struct Bearing: Equatable, Sendable, BitwiseCopyable {
    private var isOfBack = false

    /// The sines of the top edge's angle to the horizon, from which on the back counts, and below which it no longer
    /// does.
    private static let steep = (60 * Double.pi / 180).sine
    private static let flat = (50 * Double.pi / 180).sine

    package init() {}

    /// The bearing of a device that was rotated so, from 0 to less than 360.
    package mutating func degrees(_ rotation: Quaternion) -> Double {
        let top = rotation.turn(Vector3(x: 0, y: 1, z: 0))
        isOfBack = abs(top.z) > (isOfBack ? Self.flat : Self.steep)
        let direction = isOfBack ? rotation.turn(Vector3(x: 0, y: 0, z: -1)) : top
        return Self.wrapped(arctangent(direction.x, direction.y) * 180 / .pi)
    }

    /// A bearing of less than a turn beyond, from 0 to less than 360.
    package static func wrapped(_ degrees: Double) -> Double {
        // A hair to the left of north is north: rounded, it would be 360.
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned < 360 ? turned : max(0, turned - 360)
    }
}
