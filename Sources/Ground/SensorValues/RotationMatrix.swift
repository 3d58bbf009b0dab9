/// A rotation as a matrix: how the axes of one frame lie in another.
///
/// Of a ``UnitQuaternion`` it turns what is along the device's axes into what is along the frame's.
public struct RotationMatrix: Hashable, Codable, Sendable {
    /// The first row: the frame's x axis, which is east for a ``Rotation``, along the device's axes.
    public var x: SIMD3<Double>
    /// The second row: the frame's y axis, which is north for a ``Rotation``.
    public var y: SIMD3<Double>
    /// The third row: the frame's z axis, which points upwards.
    public var z: SIMD3<Double>

    /// Creates a matrix of its rows.
    public init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) { (self.x, self.y, self.z) = (x, y, z) }

    /// The vector along the frame's axes that is this one along the device's.
    public static func * (matrix: Self, vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((matrix.x * vector).sum(), (matrix.y * vector).sum(), (matrix.z * vector).sum())
    }

    /// The matrix that turns back: the same one with rows and columns exchanged.
    public var transposed: Self {
        Self(x: SIMD3(x.x, y.x, z.x), y: SIMD3(x.y, y.y, z.y), z: SIMD3(x.z, y.z, z.z))
    }
}

extension UnitQuaternion {
    /// The same rotation as a matrix.
    public var matrix: RotationMatrix {
        RotationMatrix(
            x: SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            y: SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            z: SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    }

    /// A vector along the frame's axes that was measured along the device's, such as an acceleration to the east, the north and upwards.
    public func turned<Kind>(_ vector: Vector<Kind>) -> Vector<Kind> {
        let turned = matrix * SIMD3(vector.x, vector.y, vector.z)
        return Vector(x: turned.x, y: turned.y, z: turned.z)
    }

    /// How the device has been turned since a former rotation in the same frame, along the axes that it had then.
    public func since(_ former: Self) -> Self {
        Self(x: -former.x, y: -former.y, z: -former.z, w: former.w).times(self)
    }

    /// The product with another one: what this one does with what the other one has done.
    package func times(_ other: Self) -> Self {
        Self(
            x: w * other.x + x * other.w + y * other.z - z * other.y,
            y: w * other.y - x * other.z + y * other.w + z * other.x,
            z: w * other.z + x * other.y - y * other.x + z * other.w,
            w: w * other.w - x * other.x - y * other.y - z * other.z)
    }

    /// The same components as a rotation into another frame.
    package init<Other>(like other: UnitQuaternion<Other>) { self.init(x: other.x, y: other.y, z: other.z, w: other.w) }
}
