/// Three components along the axes of a frame that its name or its context gives.
package struct Vector3: Equatable, Sendable, BitwiseCopyable {
    package var x, y, z: Double

    package static let zero = Self(x: 0, y: 0, z: 0)

    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    package static func + (left: Self, right: Self) -> Self {
        Self(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    package static func - (left: Self, right: Self) -> Self {
        Self(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
    }

    package static func * (left: Self, factor: Double) -> Self {
        Self(x: left.x * factor, y: left.y * factor, z: left.z * factor)
    }

    package static prefix func - (vector: Self) -> Self { vector * -1 }

    package static func += (left: inout Self, right: Self) { left = left + right }
    package static func -= (left: inout Self, right: Self) { left = left - right }

    package func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

    package func cross(_ other: Self) -> Self {
        Self(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    package var lengthSquared: Double { dot(self) }
    package var length: Double { lengthSquared.squareRoot() }

    /// Whether each component is a number whose magnitude is at most the limit: neither infinite nor NaN.
    package func isWithin(_ limit: Double) -> Bool { abs(x) <= limit && abs(y) <= limit && abs(z) <= limit }
}
