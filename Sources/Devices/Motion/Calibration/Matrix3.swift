/// A matrix of three rows, which maps a vector to another one.
package struct Matrix3: Equatable, Sendable, BitwiseCopyable {
    /// The rows: what makes each component of the result.
    package var x, y, z: Vector3

    package static let identity = Self(diagonal: Vector3(x: 1, y: 1, z: 1))

    package init(x: Vector3, y: Vector3, z: Vector3) {
        self.x = x
        self.y = y
        self.z = z
    }

    package init(diagonal: Vector3) {
        x = Vector3(x: diagonal.x, y: 0, z: 0)
        y = Vector3(x: 0, y: diagonal.y, z: 0)
        z = Vector3(x: 0, y: 0, z: diagonal.z)
    }

    /// The matrix of nine numbers, row by row; nil if there are not nine.
    package init?(rows numbers: [Double]) {
        guard numbers.count == 9 else { return nil }
        x = Vector3(x: numbers[0], y: numbers[1], z: numbers[2])
        y = Vector3(x: numbers[3], y: numbers[4], z: numbers[5])
        z = Vector3(x: numbers[6], y: numbers[7], z: numbers[8])
    }

    /// Its nine numbers, row by row.
    package var rows: [Double] { [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z] }

    package static func * (left: Self, right: Vector3) -> Vector3 {
        Vector3(x: left.x.dot(right), y: left.y.dot(right), z: left.z.dot(right))
    }

    /// By how much of its length it moves a vector at most, or more; NaN if it has no numbers.
    package var distanceToIdentity: Double {
        let one = Self.identity
        return ((x - one.x).lengthSquared + (y - one.y).lengthSquared + (z - one.z).lengthSquared).squareRoot()
    }
}
