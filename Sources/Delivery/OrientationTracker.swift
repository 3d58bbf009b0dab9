internal import Glibc
public import Readings

/// Follows which edge of the device is up, from its acceleration: in the words that iio-sensor-proxy has for the same device.
///
/// An edge is up when its axis is tilted more than 35 whole degrees out of the horizontal; while that holds for both axes, or for
/// none, the orientation stays as it was. The range in which nothing changes is the hysteresis: about the diagonals, and flat on
/// the table.
///
/// iio-sensor-proxy takes what the chip reports, after the mount matrix, and sees the top edge up where y is -g, the right edge up
/// where x is -g. Along the axes of a device these two have been turned round already (`MountedAxes`). A chip of which nobody knows how
/// it is mounted is, to iio-sensor-proxy, one with the matrix 1: so it is here, and the two are turned round for it. Whether z is
/// positive never matters.
public struct OrientationTracker: Sendable {
    /// The orientation at present.
    public private(set) var orientation = Orientation.undefined

    private static let thresholdDegrees = 35.0

    /// A device of which nothing is known.
    public init() {}

    /// Takes in an acceleration along these axes; returns whether that changes the orientation.
    public mutating func follow(_ value: Acceleration, along axes: DeviceProfile.Axes = .device) -> Bool {
        let before = orientation
        let sign: Double = axes == .device ? 1 : -1
        let (x, y, z) = (sign * Self.steps(value.x), sign * Self.steps(value.y), Self.steps(value.z))
        let sideways = Self.tiltDegrees(x, y, z)
        let upright = Self.tiltDegrees(y, x, z)
        switch (abs(sideways) > Self.thresholdDegrees, abs(upright) > Self.thresholdDegrees) {
        case (true, false): orientation = sideways > 0 ? .rightUp : .leftUp
        case (false, true): orientation = upright > 0 ? .normal : .bottomUp
        case (true, true), (false, false): break
        }
        return orientation != before
    }

    /// In the whole steps in which iio-sensor-proxy counts; they matter near the threshold only.
    private static func steps(_ value: Double) -> Double { (value * 256 / 9.81).rounded(.towardZero) }

    /// How far an axis points out of the horizontal, in whole degrees.
    private static func tiltDegrees(_ axis: Double, _ second: Double, _ third: Double) -> Double {
        (atan2(axis, (second * second + third * third).squareRoot()) * 180 / .pi).rounded()
    }
}
