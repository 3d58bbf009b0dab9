internal import Glibc
public import Readings

/// What is derived from accelerations, for each kind that is, and whether another one changes it.
public enum Tracker: Equatable, Sendable {
    /// Which edge of the device is up.
    case orientation(OrientationTracker)
    /// How far the screen leans from the vertical.
    case tilt(TiltTracker)

    /// Nothing is known of the device yet; nil if the kind is not derived from accelerations.
    public init?(_ kind: Kind) {
        switch kind {
        case .orientation: self = .orientation(OrientationTracker())
        case .tilt: self = .tilt(TiltTracker())
        default: return nil
        }
    }

    /// Takes an acceleration along these axes; returns whether it changes what is derived.
    public mutating func follow(_ value: Acceleration, along axes: DeviceProfile.Axes) -> Bool {
        switch self {
        case .orientation(var tracker):
            defer { self = .orientation(tracker) }
            return tracker.follow(value, along: axes)
        case .tilt(var tracker):
            defer { self = .tilt(tracker) }
            return tracker.follow(value)
        }
    }

    /// What holds at present; nil if nothing is known yet.
    package var measurement: Measurement? {
        switch self {
        case .orientation(let tracker): .orientation(tracker.orientation)
        case .tilt(let tracker): tracker.tilt.map { .values(Values(.tilt, SIMD4($0.degrees, 0, 0, 0))) }
        }
    }
}

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
