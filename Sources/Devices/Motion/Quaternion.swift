/// A rotation as a unit quaternion.
///
/// The product `b * a` rotates by `a` first. As an attitude it turns the device's axes into the Earth's.
package struct Quaternion: Equatable, Sendable, BitwiseCopyable {
    package var w, x, y, z: Double

    package static let identity = Self(w: 1, x: 0, y: 0, z: 0)

    package init(w: Double, x: Double, y: Double, z: Double) {
        self.w = w
        self.x = x
        self.y = y
        self.z = z
    }

    /// The rotation about the direction of a vector, by its length in radians.
    package init(turningBy radians: Vector3) {
        let square = radians.lengthSquared / 4
        let cosine, sine: Double  // of half the angle; the sine divided by the angle
        if square < 0.06 {
            // The series' next terms are below what a Double can show. It costs less than sin and cos, and it is the
            // same on all machines.
            cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
            sine =
                0.5 * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))))
        } else {
            let half = square.squareRoot()
            cosine = half.cosine
            sine = half.sine / (2 * half)
        }
        self.init(w: cosine, x: radians.x * sine, y: radians.y * sine, z: radians.z * sine)
    }

    /// The rotation about the vertical, counter-clockwise seen from above.
    package init(turningAboutVerticalBy radians: Double) {
        self.init(w: (radians / 2).cosine, x: 0, y: 0, z: (radians / 2).sine)
    }

    /// The shortest rotation that turns a direction upright; nil if the vector has no direction.
    package init?(uprighting direction: Vector3) {
        let length = direction.length
        guard length > 0 else { return nil }
        let up = direction.z / length
        guard up > -0.999_999 else {
            self.init(w: 0, x: 1, y: 0, z: 0)
            return
        }
        let half = ((1 + up) / 2).squareRoot()
        let scale = 0.5 / (half * length)
        self.init(w: half, x: direction.y * scale, y: -direction.x * scale, z: 0)
    }

    @inline(__always)
    package static func * (left: Self, right: Self) -> Self {
        Self(
            w: left.w * right.w - left.x * right.x - left.y * right.y - left.z * right.z,
            x: left.w * right.x + left.x * right.w + left.y * right.z - left.z * right.y,
            y: left.w * right.y - left.x * right.z + left.y * right.w + left.z * right.x,
            z: left.w * right.z + left.x * right.y - left.y * right.x + left.z * right.w)
    }

    /// The rotation back.
    package var inverse: Self { Self(w: w, x: -x, y: -y, z: -z) }

    /// The same rotation with a length of 1 again, from which products stray by rounding.
    package var normalized: Self {
        let length = (w * w + x * x + y * y + z * z).squareRoot()
        assert(length > 0.5, "a rotation's quaternion has a length of about 1")
        let scale = 1 / length
        return Self(w: w * scale, x: x * scale, y: y * scale, z: z * scale)
    }

    /// A vector, rotated.
    @inline(__always)
    package func turn(_ vector: Vector3) -> Vector3 {
        let axis = Vector3(x: x, y: y, z: z)
        let twice = axis.cross(vector) * 2
        return vector + twice * w + axis.cross(twice)
    }

    /// The Earth's vertical along the axes of the device.
    package var up: Vector3 {
        Vector3(x: 2 * (x * z - w * y), y: 2 * (y * z + w * x), z: 1 - 2 * (x * x + y * y))
    }

    /// The rows of the matrix that rotates as this does: what the Earth's axes east, north and up are along the
    /// device's.
    package var rows: (east: Vector3, north: Vector3, up: Vector3) {
        (
            Vector3(x: 1 - 2 * (y * y + z * z), y: 2 * (x * y - w * z), z: 2 * (x * z + w * y)),
            Vector3(x: 2 * (x * y + w * z), y: 1 - 2 * (x * x + z * z), z: 2 * (y * z - w * x)),
            up
        )
    }
}
