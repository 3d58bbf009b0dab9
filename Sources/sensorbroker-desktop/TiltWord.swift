/// How far the screen is from the vertical, in the words of iio-sensor-proxy since 3.6.
enum TiltWord: String, CaseIterable, Sendable {
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

    /// The word for a tilt, which is 90° if the screen points to the sky.
    init(degrees: Double) {
        switch degrees {
        case ...(-Self.liesDegrees): self = .faceDown
        case ...(-Self.leansDegrees): self = .tiltedDown
        case ..<Self.leansDegrees: self = .vertical
        case ..<Self.liesDegrees: self = .tiltedUp
        default: self = .faceUp
        }
    }
}
