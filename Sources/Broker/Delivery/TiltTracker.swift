internal import Glibc
public import Readings

/// Determines from the acceleration how far the screen leans from the vertical.
///
/// A tilt holds until it differs by the usual change of its kind, so that neither noise nor a hand that holds the device changes
/// it. A program that wants it more exactly asks for the acceleration itself.
public struct TiltTracker: Equatable, Sendable {
    /// The present tilt; nil before the first one.
    public private(set) var tilt: Tilt?

    private static let stepDegrees = Kind.tilt.row.usualChange ?? 0

    /// A device about which nothing is known yet.
    public init() {}

    /// Takes an acceleration; returns whether it changes the tilt.
    ///
    /// That of a device that falls does not.
    public mutating func follow(_ value: Acceleration) -> Bool {
        guard value.x != 0 || value.y != 0 || value.z != 0 else { return false }
        let degrees = atan2(value.z, hypot(value.x, value.y)) * 180 / .pi
        if let tilt, abs(degrees - tilt.degrees) < Self.stepDegrees { return false }
        tilt = Tilt(degrees)
        return true
    }
}
