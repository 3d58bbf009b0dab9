internal import Glibc
public import Readings

/// Determines from the acceleration which edge of the device is up, with the words that iio-sensor-proxy uses for the same device.
///
/// An edge is up if its axis is tilted more than 35 whole degrees out of the horizontal. While that is true of both axes or of
/// neither, the orientation does not change; this is the hysteresis, near the diagonals and flat on a table.
///
/// iio-sensor-proxy applies the mount matrix to the values of the chip. For it, the top edge is up if y is -g, and the right edge
/// if x is -g. Values along the axes of a device already have the opposite sign (`MountedAxes`). If nobody knows how a chip is
/// mounted, iio-sensor-proxy uses the identity matrix; so does this, and therefore changes the two signs itself. The sign of z
/// does not matter.
public struct OrientationTracker: Equatable, Sendable {
    /// The present orientation.
    public private(set) var orientation = Orientation.undefined

    private static let thresholdDegrees = 35.0

    /// A device about which nothing is known yet.
    public init() {}

    /// Takes an acceleration along these axes; returns whether it changes the orientation.
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

    /// In whole steps, like iio-sensor-proxy; they matter only near the threshold.
    private static func steps(_ value: Double) -> Double { (value * 256 / 9.81).rounded(.towardZero) }

    private static func tiltDegrees(_ axis: Double, _ second: Double, _ third: Double) -> Double {
        (atan2(axis, (second * second + third * third).squareRoot()) * 180 / .pi).rounded()
    }
}
