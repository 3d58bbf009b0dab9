/// A sequence of motions.
public struct MotionSequence: Sendable {
    /// A motion and its duration; the orientation at its end remains.
    public typealias Part = (motion: Motion, seconds: Double)

    private struct Scene: Sendable {
        let motion: Motion
        let from: Double
        let seconds: Double
        let attitude: Attitude
    }

    private let scenes: [Scene]
    private let end: (seconds: Double, attitude: Attitude)
    private let isRepeated: Bool
    private let phases: [Double]

    /// After the last one the sequence repeats from the first orientation, or the device rests in the last.
    public init(_ parts: [Part], isRepeated: Bool, seed: UInt64) {
        var scenes: [Scene] = []
        var end = (seconds: 0.0, attitude: Attitude.upright)
        for (motion, seconds) in parts {
            scenes.append(Scene(motion: motion, from: end.seconds, seconds: seconds, attitude: end.attitude))
            end.seconds += seconds
            end.attitude = motion.turn(seconds, of: seconds).after(end.attitude)
        }
        self.scenes = scenes
        self.end = end
        self.isRepeated = isRepeated
        phases = (0..<4).map { Noise.fraction($0, seed: seed) * 2 * .pi }
    }

    /// The duration of one round.
    public var seconds: Double { end.seconds }

    /// The measured acceleration in m/s² along the device's axes.
    func force(atSeconds seconds: Double) -> SIMD3<Double> {
        var seconds = max(0, seconds)
        if isRepeated, end.seconds > 0 { seconds = seconds.truncatingRemainder(dividingBy: end.seconds) }
        guard let scene = scenes.last(where: { $0.from <= seconds }), seconds < end.seconds else {
            return end.attitude.applied(to: Motion.still.force(0, of: 0, phases: phases))
        }
        let passed = seconds - scene.from
        let attitude = scene.motion.turn(passed, of: scene.seconds).after(scene.attitude)
        return attitude.applied(to: scene.motion.force(passed, of: scene.seconds, phases: phases))
            + scene.motion.ownForce(passed)
    }
}
