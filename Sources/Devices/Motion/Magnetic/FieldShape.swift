/// What of the Earth's field is the same in whichever direction a device looks: its horizontal and its downward part,
/// in microtesla.
package struct FieldShape: Equatable, Sendable, BitwiseCopyable {
    package var horizontal, downward: Double

    package init(horizontal: Double, downward: Double) {
        self.horizontal = horizontal
        self.downward = downward
    }

    package init(strength: Double, dipDegrees: Double) {
        let dip = dipDegrees * .pi / 180
        self.init(horizontal: strength * dip.cosine, downward: strength * dip.sine)
    }

    /// A field in a level frame whose z axis points upwards.
    init(level: Vector3) {
        self.init(horizontal: (level.x * level.x + level.y * level.y).squareRoot(), downward: -level.z)
    }

    var strength: Double { (horizontal * horizontal + downward * downward).squareRoot() }

    /// The square of how far another field differs, in microtesla squared.
    func distanceSquared(to other: Self) -> Double {
        let across = horizontal - other.horizontal
        let down = downward - other.downward
        return across * across + down * down
    }

    /// Moves to another field by a part of the distance.
    mutating func approach(_ other: Self, by part: Double) {
        horizontal += (other.horizontal - horizontal) * part
        downward += (other.downward - downward) * part
    }
}
