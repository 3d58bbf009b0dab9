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

    private static let mostUpright = 20.0
    private static let leastFlat = 70.0

    /// The word for a tilt, which is 90° if the screen points to the sky; in whole degrees, as iio-sensor-proxy compares them.
    init(degrees: Double) {
        let whole = degrees.rounded()
        switch abs(whole) {
        case ...Self.mostUpright: self = .vertical
        case ..<Self.leastFlat: self = whole > 0 ? .tiltedUp : .tiltedDown
        default: self = whole > 0 ? .faceUp : .faceDown
        }
    }
}
