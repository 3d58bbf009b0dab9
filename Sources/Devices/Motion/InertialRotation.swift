/// The rotation of the device since the start, as the gyroscope shows it: into a frame that does not turn, but for what
/// is wrong with the rates.
///
/// Between two samples the rate is taken for the parabola through them and the one before, and the axis of the rotation
/// for what their cross product makes of it (coning). With the newest rate alone, as published filters have it, the
/// state would be that of half an interval later; with the mean of two, a sensor of 50 Hz would lose one in a hundred
/// of a shake of the hand.
struct InertialRotation {
    /// From the device's axes to the frame that does not turn.
    private(set) var rotation = Quaternion.identity
    /// The newest rate, without the bias as it was known then.
    private(set) var rate = Vector3.zero
    /// How far the newest turn may be off, in radians, since nothing was measured between its ends: the square of it.
    private(set) var unseenSquare = 0.0

    private var slope = Vector3.zero
    private var seconds = 0.0

    /// A slope over a much shorter interval is mostly noise.
    private static let mostRatio = 3.0

    /// Takes the rate from which the rotation begins.
    mutating func begin(with rate: Vector3) { self.rate = rate }

    mutating func take(_ rate: Vector3, over seconds: Double) {
        assert(seconds > 0, "rates come in order of time")
        var turn = (self.rate + rate) * (seconds / 2)
        turn += self.rate.cross(rate) * (seconds * seconds / 12)
        let change = rate - self.rate
        let slope = change * (1 / seconds)
        if self.seconds > 0 {
            let bend = (slope - self.slope) * (seconds * seconds * seconds / (6 * (seconds + self.seconds)))
            let isAlike = self.seconds * Self.mostRatio > seconds
            if isAlike { turn -= bend }
            // Half of the bend that was reckoned with, all of the one that was not, and never more than half of the change.
            unseenSquare = min(change.lengthSquared * seconds * seconds, bend.lengthSquared * (isAlike ? 1 : 4)) / 4
        }
        rotation = (rotation * Quaternion(turningBy: turn)).normalized
        self.rate = rate
        self.slope = slope
        self.seconds = seconds
    }

    /// What a vector along the device's axes, measured so much later than the newest rate, is in the frame that does
    /// not turn.
    func place(_ vector: Vector3, secondsLater: Double) -> Vector3 {
        rotation.turn(vector + rate.cross(vector) * secondsLater)
    }
}
