/// Bias and scale of an accelerometer from six positions of the device, each of its faces upwards once: gravity is the
/// same in all of them.
package struct SixPositions: Sendable {
    /// What is subtracted, in metres per second squared, and what then multiplies each axis; with the error that is left.
    package struct Fit: Equatable, Sendable {
        package let offset: Vector3
        package let factors: Vector3
        package let error: Double
    }

    private var rest = RestingAcceleration()
    private var seen: [Face: Vector3] = [:]
    /// The face that points upwards at present, in a position that counts.
    package private(set) var present: Face?

    /// How far from upright a face may be.
    private static let leastCosine = (10 * .pi / 180.0).cosine
    private static let gravity = GravityStrength.standard
    private static let strengths = 0.7 * gravity...1.4 * gravity
    private static let mostOffset = 2.0
    private static let factors = 0.8...1.25
    private static let steps = 8
    /// Gravity differs by places, and no table is level.
    private static let leastError = 0.02

    package init() {}

    /// Takes an acceleration, in metres per second squared, at a time in seconds.
    package mutating func take(_ acceleration: Vector3, at seconds: Double) {
        present = nil
        guard let mean = rest.take(acceleration, at: seconds), Self.strengths.contains(mean.length) else { return }
        let face = Face(mean)
        guard face.direction.dot(mean) >= Self.leastCosine * mean.length else { return }
        seen[face] = mean
        present = face
    }

    /// The faces that have not pointed upwards yet.
    package var missing: [Face] { Face.allCases.filter { seen[$0] == nil } }

    /// What follows; nil as long as a position is missing, or if no chip is so far off.
    package var fit: Fit? {
        guard missing.isEmpty else { return nil }
        let means = Face.allCases.compactMap { seen[$0] }
        var offset = Vector3.zero
        var factors = Vector3(x: 1, y: 1, z: 1)
        for _ in 0..<Self.steps {
            var system = LinearSystem(count: 6)
            for mean in means {
                let apart = mean - offset
                let corrected = Matrix3(diagonal: factors) * apart
                let unit = corrected * (1 / corrected.length)
                system.observe(
                    [
                        -factors.x * unit.x, -factors.y * unit.y, -factors.z * unit.z, apart.x * unit.x,
                        apart.y * unit.y, apart.z * unit.z,
                    ], Self.gravity - corrected.length)
            }
            guard let (change, _) = system.solution() else { return nil }
            offset += Vector3(x: change[0], y: change[1], z: change[2])
            factors += Vector3(x: change[3], y: change[4], z: change[5])
            guard offset.isWithin(Self.mostOffset),
                [factors.x, factors.y, factors.z].allSatisfy(Self.factors.contains)
            else { return nil }
        }
        return Fit(offset: offset, factors: factors, error: Self.leastError)
    }
}
