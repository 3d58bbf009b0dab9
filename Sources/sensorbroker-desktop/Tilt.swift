internal import Glibc
internal import Readings

/// How far the screen is from the vertical, in the words of iio-sensor-proxy since 3.6.
enum Tilt: String, CaseIterable, Sendable {
    /// The screen is upright.
    case vertical
    /// The screen leans back.
    case tiltedUp = "tilted-up"
    /// The screen leans forward.
    case tiltedDown = "tilted-down"
    /// The screen points to the sky.
    case faceUp = "face-up"
    /// The screen points to the ground.
    case faceDown = "face-down"

    private static let leansDegrees = 20.0
    private static let liesDegrees = 70.0

    /// The tilt of a device with this acceleration along its axes, gravity included; nil if it falls.
    init?(_ value: Acceleration) {
        guard value.x != 0 || value.y != 0 || value.z != 0 else { return nil }
        let degrees = atan2(value.z, hypot(value.x, value.y)) * 180 / .pi
        switch degrees {
        case ...(-Self.liesDegrees): self = .faceDown
        case ...(-Self.leansDegrees): self = .tiltedDown
        case ..<Self.leansDegrees: self = .vertical
        case ..<Self.liesDegrees: self = .tiltedUp
        default: self = .faceUp
        }
    }
}
