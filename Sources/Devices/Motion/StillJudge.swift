/// Judges whether a device that does not jerk rests, or turns slowly and evenly.
///
/// About a horizontal axis, a turn turns gravity; about the vertical, it turns the magnetic field. A turn whose rate
/// changes by degrees is no bias. Where nothing else decides, what chips are sold with does: a usual bias is believed,
/// and another one after long, with doubt.
struct StillJudge {
    enum Verdict {
        case turns
        case unknown
        /// Unless it turns about the vertical.
        case rests(Sight)
    }

    /// What a rest shows.
    struct Sight {
        /// What the gyroscope shows of its bias about horizontal axes: less what gravity turned since the beginning.
        let horizontal: Vector3
        /// What it shows about the vertical, counter-clockwise.
        let upward: Double
        /// The vertical along the device's axes, with a length of 1.
        let up: Vector3
        var vertical: RestProof
    }

    /// The bias as it was before this while.
    var bias: GyroscopeBias

    private let start: RestDetector.Means
    /// The mean rate of the last ten seconds at most.
    private var rate: Vector3

    private static let degree = Double.pi / 180
    private static let meanSeconds = 10.0
    /// A bias does not change by that within seconds.
    private static let drift = 0.25 * degree
    /// Beyond that, a mean gravity has turned.
    private static let tilt = 1 * degree
    /// What an accelerometer's noise turns it by.
    private static let tiltNoise = 0.2 * degree
    /// A turn by that would have turned gravity by more than it did.
    private static let shown = 3 * degree
    private static let needed = 1.5
    /// So far a turn is followed before a field shows whether there is one.
    private static let turn = 5 * degree
    /// A slower turn hardly matters.
    private static let slow = 0.5 * degree
    /// A weaker horizontal field has no direction, in microtesla.
    private static let leastField = 5.0
    /// A mean acceleration below that is of a device that falls.
    private static let leastAcceleration = 1.0

    init(_ start: RestDetector.Means, _ bias: GyroscopeBias) {
        (self.start, self.bias) = (start, bias)
        rate = start.rate
    }

    /// Takes the newest means, so long after the first ones.
    mutating func verdict(_ now: RestDetector.Means, seconds: Double, after pause: Double) -> Verdict {
        rate += (now.rate - rate) * (pause / min(seconds, Self.meanSeconds))
        let length = now.acceleration.length
        guard length > Self.leastAcceleration, now.rate.isWithin(GyroscopeBias.worst) else { return .unknown }
        let up = now.acceleration * (1 / length)
        // A device that turns sees gravity turn the other way.
        var tilted = up.cross(start.acceleration) * (1 / length)
        guard (now.rate - rate).lengthSquared < Self.drift * Self.drift, tilted.lengthSquared < Self.tilt * Self.tilt
        else { return .turns }
        tilted = tilted * (tilted.lengthSquared / (tilted.lengthSquared + Self.tiltNoise * Self.tiltNoise))
        let upward = now.rate.dot(up)
        let horizontal = now.rate - up * upward - tilted * (1 / seconds)
        let surprise = horizontal - (bias.value - up * bias.value.dot(up))
        guard seconds >= Self.needed || surprise.lengthSquared * seconds * seconds > Self.shown * Self.shown else {
            return .unknown
        }
        var sight = Sight(horizontal: horizontal, upward: upward, up: up, vertical: .none)
        if seconds >= Self.needed { sight.vertical = proof(of: sight, now, seconds) }
        if sight.vertical == .turns { return .turns }
        return .rests(sight)
    }

    private func proof(of sight: Sight, _ now: RestDetector.Means, _ seconds: Double) -> RestProof {
        let surprise = sight.upward - bias.value.dot(sight.up)
        let claimed = surprise * seconds
        if let turned = turned(now, sight.up) {
            if abs(claimed) >= Self.turn {
                if abs(NorthOffset.wrapped(turned - claimed)) < abs(claimed) / 2 { return .turns }
                if abs(turned) < abs(claimed) / 2 { return .proven }
            } else if abs(surprise) > Self.slow {
                return .none
            }
        }
        return bias.proof(of: sight, seenFor: seconds)
    }

    /// By how much the device turned about the vertical, as the field shows it; nil if it shows nothing.
    private func turned(_ now: RestDetector.Means, _ up: Vector3) -> Double? {
        guard now.field != .zero else { return nil }
        let before = start.field - up * up.dot(start.field)
        guard before.lengthSquared > Self.leastField * Self.leastField else { return nil }
        return arctangent(up.dot(now.field.cross(before)), now.field.dot(before))
    }
}

/// What shows that a rest is not a slow turn about the vertical.
enum RestProof: Equatable {
    /// It is one: the field turns.
    case turns
    case none
    /// The field did not turn.
    case proven
    /// It shows a bias that chips have.
    case expected
    /// It lasted long. One standard deviation, in radians per second.
    case doubted(Double)
}
