// Powers and arcs only; the values themselves are of no system.
#if canImport(Musl)
    internal import Musl
#elseif canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A rotation as three turns of the device, one after the other: about its z axis (yaw), then its x axis (pitch), then its y
/// axis (roll).
///
/// Lying flat, with the top edge along the frame's y axis, all are 0.
extension UnitQuaternion {
    /// How far the top edge is turned from the y axis of the frame, which is north for a ``Rotation``, in radians from -π to π; positive counter-clockwise, seen from above.
    public var yawRadians: Double { atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)) }

    /// How far the top edge is raised, in radians from -π/2 to π/2.
    public var pitchRadians: Double { asin(max(-1, min(1, 2 * (y * z + w * x)))) }

    /// How far the left edge is raised, in radians from -π to π.
    public var rollRadians: Double { atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)) }

    /// This rotation, and then one about the vertical, counter-clockwise as seen from above.
    package func turnedAboutVertical(degrees: Double) -> Self {
        let half = degrees / 2 * .pi / 180
        return Self(x: 0, y: 0, z: sin(half), w: cos(half)).times(self)
    }
}

extension Pressure {
    /// How much higher it is here than where the other pressure was measured, in metres of the standard atmosphere.
    ///
    /// With the pressure from before, it is the height that was climbed; with the present pressure at sea level, the altitude.
    public func metersAbove(_ other: Self) -> Double {
        Self.standardMeters(pascals) - Self.standardMeters(other.pascals)
    }

    /// The altitude in the standard atmosphere, up to 11 km.
    private static func standardMeters(_ pascals: Double) -> Double {
        44_330.769 * (1 - pow(max(0, pascals) / 101_325, 0.190_263))
    }
}
