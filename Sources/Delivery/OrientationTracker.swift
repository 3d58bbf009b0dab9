internal import Glibc
public import Readings

/// Follows which edge of the device is up, from its acceleration.
///
/// The thresholds are those that desktops are used to from iio-sensor-proxy: an edge is up when its axis is tilted more than
/// 35 whole degrees out of the horizontal; while that holds for both axes, or for none, the orientation stays as it was.
/// The range in which nothing changes is the hysteresis: about the diagonals, and flat on the table.
public struct OrientationTracker: Sendable {
    /// The orientation at present.
    public private(set) var orientation = Orientation.undefined

    private static let thresholdDegrees = 35.0

    /// A device of which nothing is known.
    public init() {}

    /// Takes in an acceleration along the device's axes; returns whether that changes the orientation.
    public mutating func follow(_ value: Acceleration) -> Bool {
        let before = orientation
        let sideways = Self.tiltDegrees(value.x, value.y, value.z)
        let upright = Self.tiltDegrees(value.y, value.x, value.z)
        switch (abs(sideways) > Self.thresholdDegrees, abs(upright) > Self.thresholdDegrees) {
        case (true, false): orientation = sideways > 0 ? .rightUp : .leftUp
        case (false, true): orientation = upright > 0 ? .normal : .bottomUp
        case (true, true), (false, false): break
        }
        return orientation != before
    }

    /// How far an axis points out of the horizontal, in whole degrees.
    private static func tiltDegrees(_ axis: Double, _ second: Double, _ third: Double) -> Double {
        (atan2(axis, (second * second + third * third).squareRoot()) * 180 / .pi).rounded()
    }
}
