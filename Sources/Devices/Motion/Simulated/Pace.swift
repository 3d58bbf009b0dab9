/// How fast a motion goes on: it rests, sets off, moves and comes to rest again, and so on, without a jerk.
///
/// A motion is a formula of its own time, which stands still while it rests.
package struct Pace: Equatable, Sendable {
    package var restSeconds: Double
    package var movingSeconds: Double
    /// How long it takes to set off, and to come to rest: within the seconds of moving.
    package var rampSeconds: Double

    /// A motion that never rests, if there are no seconds of rest.
    package init(restSeconds: Double = 0, movingSeconds: Double = 1, rampSeconds: Double = 0.5) {
        precondition(
            restSeconds >= 0 && rampSeconds > 0 && movingSeconds >= 2 * rampSeconds, "a motion has time for its ramps")
        self.restSeconds = restSeconds
        self.movingSeconds = movingSeconds
        self.rampSeconds = rampSeconds
    }

    /// The motion's own time, how fast it goes, and how that changes.
    struct Instant {
        var seconds, speed, change: Double
    }

    @inline(__always)
    func instant(at seconds: Double) -> Instant {
        guard restSeconds > 0 else { return Instant(seconds: seconds, speed: 1, change: 0) }
        let cycle = restSeconds + movingSeconds
        let cycles = (seconds / cycle).rounded(.down)
        let inCycle = seconds - cycles * cycle - restSeconds
        let before = cycles * (movingSeconds - rampSeconds)
        if inCycle <= 0 { return Instant(seconds: before, speed: 0, change: 0) }
        if inCycle < rampSeconds {
            let ramp = ramp(inCycle)
            return Instant(seconds: before + ramp.seconds, speed: ramp.speed, change: ramp.change)
        }
        let left = movingSeconds - inCycle
        if left < rampSeconds {
            let ramp = ramp(left)
            return Instant(
                seconds: before + movingSeconds - rampSeconds - ramp.seconds, speed: ramp.speed, change: -ramp.change)
        }
        return Instant(seconds: before + inCycle - rampSeconds / 2, speed: 1, change: 0)
    }

    /// So long after it set off: half a wave of the cosine.
    private func ramp(_ seconds: Double) -> Instant {
        let turn = Double.pi / rampSeconds
        return Instant(
            seconds: (seconds - (turn * seconds).sine / turn) / 2, speed: (1 - (turn * seconds).cosine) / 2,
            change: turn * (turn * seconds).sine / 2)
    }
}
