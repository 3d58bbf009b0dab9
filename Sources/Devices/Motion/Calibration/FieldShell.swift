/// The sphere or the ellipsoid on which the readings of a magnetometer lie that is turned in one field: corrected, they
/// all have the same length.
///
/// It is the one from which the lengths differ least. What the squares of the lengths yield, without iteration, is wrong
/// by degrees where few directions were seen, since noise makes them longer.
struct FieldShell: Sendable {
    private(set) var offset: Vector3
    /// Symmetric, with a mean of the factors along its axes of 1: of the strength is known what the sensor shows.
    private(set) var matrix = Matrix3.identity
    private(set) var strength: Double
    /// The mean square of the lengths' differences from the strength.
    private(set) var variance = 0.0
    /// How uncertain offset, strength and matrix are together, as multiples of that.
    private var uncertainty: [Double] = []

    /// What is expected of soft iron before anything is seen: how much an element of the matrix differs from none.
    private static let softIron = 0.04
    private static let steps = 6
    /// Noise is no less than that, in microtesla: else numbers that are too good to be true would count too much.
    private static let leastNoise = 0.05

    /// The best sphere; nil if none follows.
    init?(sphere fields: [Vector3]) {
        guard let first = fields.first else { return nil }
        // Of the squares: m·m = 2 m·centre + rest.
        var system = LinearSystem(count: 4)
        for field in fields {
            let m = field - first
            system.observe([m.x, m.y, m.z, 1], m.lengthSquared)
        }
        guard let (unknowns, _) = system.solution() else { return nil }
        let centre = Vector3(x: unknowns[0], y: unknowns[1], z: unknowns[2]) * 0.5
        let square = unknowns[3] + centre.lengthSquared
        guard square > 0 else { return nil }
        offset = first + centre
        strength = square.squareRoot()
        guard approach(fields, unknowns: 4) else { return nil }
    }

    /// The best ellipsoid near a sphere, drawn to it as far as the noise makes that likely; nil if none follows.
    init?(ellipsoid fields: [Vector3], near sphere: Self) {
        self = sphere
        guard approach(fields, unknowns: 9) else { return nil }
    }

    private mutating func approach(_ fields: [Vector3], unknowns count: Int) -> Bool {
        guard fields.count > count else { return false }
        measure(fields, unknowns: count)
        for _ in 0..<Self.steps {
            var system = LinearSystem(count: count)
            for field in fields {
                let m = field - offset
                let corrected = matrix * m
                let length = corrected.length
                guard length > 0 else { return false }
                let unit = corrected * (1 / length)
                // Symmetric, so its rows are its columns.
                let inward = matrix * unit
                var row = [-inward.x, -inward.y, -inward.z, -1]
                if count > 4 { row += Self.stretching(unit, m) }
                system.observe(row, strength - length)
            }
            if count > 4 { draw(&system) }
            guard let (change, inverse) = system.solution() else { return false }
            uncertainty = inverse
            move(by: change)
            measure(fields, unknowns: count)
            guard offset.isWithin(Self.mostOffset), strength > 0, matrix.distanceToIdentity < 1 else { return false }
        }
        return true
    }

    private static let mostOffset = 1e5

    /// How the length of a corrected field follows from the matrix: x x and y y (both less z z), x y, x z, y z.
    private static func stretching(_ unit: Vector3, _ m: Vector3) -> [Double] {
        [
            unit.x * m.x - unit.z * m.z, unit.y * m.y - unit.z * m.z, unit.x * m.y + unit.y * m.x,
            unit.x * m.z + unit.z * m.x, unit.y * m.z + unit.z * m.y,
        ]
    }

    /// Soft iron is observed to be none, with the error that is expected of it.
    private func draw(_ system: inout LinearSystem) {
        let weight = variance / (Self.softIron * Self.softIron)
        let (xx, yy) = (matrix.x.x - 1, matrix.y.y - 1)
        func observe(_ xx: Double, _ yy: Double, _ xy: Double, _ xz: Double, _ yz: Double, _ value: Double) {
            system.observe([0, 0, 0, 0, xx, yy, xy, xz, yz], -value, weight: weight)
        }
        observe(1, 0, 0, 0, 0, xx)
        observe(0, 1, 0, 0, 0, yy)
        observe(-1, -1, 0, 0, 0, -xx - yy)
        observe(0, 0, 1, 0, 0, matrix.x.y)
        observe(0, 0, 0, 1, 0, matrix.x.z)
        observe(0, 0, 0, 0, 1, matrix.y.z)
    }

    private mutating func move(by change: [Double]) {
        offset += Vector3(x: change[0], y: change[1], z: change[2])
        strength += change[3]
        guard change.count > 4 else { return }
        let (xx, yy, xy, xz, yz) = (change[4], change[5], change[6], change[7], change[8])
        matrix.x += Vector3(x: xx, y: xy, z: xz)
        matrix.y += Vector3(x: xy, y: yy, z: yz)
        matrix.z += Vector3(x: xz, y: yz, z: -xx - yy)
    }

    private mutating func measure(_ fields: [Vector3], unknowns count: Int) {
        var sum = 0.0
        for field in fields {
            let apart = (matrix * (field - offset)).length - strength
            sum += apart * apart
        }
        variance = max(sum / Double(fields.count - count), Self.leastNoise * Self.leastNoise)
    }

    /// The mean square of what is unknown of a corrected field along an axis, over all directions.
    var unknownSquare: Double {
        let count = uncertainty.count == 81 ? 9 : 4
        var sum = 0.0
        for face in Face.allCases {
            let m = face.direction * strength
            let rows: [[Double]] = [
                [-1, 0, 0, 0, m.x, 0, m.y, m.z, 0], [0, -1, 0, 0, 0, m.y, m.x, 0, m.z],
                [0, 0, -1, 0, -m.z, -m.z, 0, m.x, m.y],
            ]
            for row in rows {
                for i in 0..<count {
                    for j in 0..<count { sum += row[i] * uncertainty[i * count + j] * row[j] }
                }
            }
        }
        let ofSoftIron = count == 9 ? 0 : Self.softIron * Self.softIron * strength * strength
        return variance * sum / Double(3 * Face.allCases.count) + ofSoftIron
    }
}
