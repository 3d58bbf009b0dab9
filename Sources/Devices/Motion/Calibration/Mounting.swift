/// How a chip is turned within a device: from what its accelerometer shows while the device lies with its screen up, and
/// while it then stands on its bottom edge.
package struct Mounting: Sendable {
    /// A position of the device.
    package enum Position: Sendable {
        case flat, upright
    }

    private var rest = RestingAcceleration()
    private var flat: Vector3?
    private var upright: Vector3?

    /// How far from a right angle the two positions may be.
    private static let mostSkew = (15 * .pi / 180.0).sine
    private static let strengths = 7.0...14.0
    /// Chips are soldered along the edges: what is so near to that is that.
    private static let leastAlong = (15 * .pi / 180.0).cosine
    private static let sameCosine = (45 * .pi / 180.0).cosine

    package init() {}

    /// Takes an acceleration, in metres per second squared, at a time in seconds.
    package mutating func take(_ acceleration: Vector3, at seconds: Double) {
        guard let mean = rest.take(acceleration, at: seconds), Self.strengths.contains(mean.length) else { return }
        let direction = mean * (1 / mean.length)
        guard let flat, flat.dot(direction) < Self.sameCosine else {
            flat = direction
            return
        }
        if abs(flat.dot(direction)) < Self.mostSkew { upright = direction }
    }

    /// The position that it waits for; nil: it knows both.
    package var missing: Position? { flat == nil ? .flat : upright == nil ? .upright : nil }

    /// What turns the axes of the readings into those of the device; nil as long as a position is missing.
    package var matrix: Matrix3? {
        guard let flat, let upright else { return nil }
        let leaning = upright - flat * upright.dot(flat)
        let up = leaning * (1 / leaning.length)
        let rows = [up.cross(flat), up, flat]
        let axes = rows.map { Face($0).direction }
        let isAlong = zip(rows, axes).allSatisfy { $0.dot($1) >= Self.leastAlong }
        let chosen = isAlong ? axes : rows
        return Matrix3(x: chosen[0], y: chosen[1], z: chosen[2])
    }
}
