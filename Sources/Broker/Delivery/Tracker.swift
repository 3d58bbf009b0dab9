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

    /// What holds at present; nil if nothing can be said yet.
    package var measurement: Measurement? {
        switch self {
        case .orientation(let tracker): .orientation(tracker.orientation)
        case .tilt(let tracker): tracker.tilt.map { .values(Values(.tilt, SIMD4($0.degrees, 0, 0, 0))) }
        }
    }
}
