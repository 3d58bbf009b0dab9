internal import Glibc
internal import Motion

package struct MotionSequence: Sendable {
    /// What happens at the same time, and for how long; the orientation at its end remains.
    package typealias Part = (movements: [Movement], seconds: Double)

    private struct Scene: Sendable {
        var movements: [Movement] = []
        var from = 0.0
        var seconds = 1.0
        /// The orientation at its beginning.
        var rotation = Quaternion.identity

        func relative(_ passed: Double, phases: [Double]) -> RelativeMoment {
            var device = RelativeMoment()
            for movement in movements { device.push(movement.push(passed, of: seconds, phases: phases)) }
            device.turn(by: rotation)
            for movement in movements { movement.turn(&device, passed, of: seconds) }
            for movement in movements { device.push(movement.ownPush(passed)) }
            return device
        }

        /// What comes after it.
        func next(_ movements: [Movement] = [], seconds: Double = 1) -> Self {
            var device = RelativeMoment()
            device.turn(by: rotation)
            for movement in self.movements { movement.turn(&device, self.seconds, of: self.seconds) }
            return Self(
                movements: movements, from: from + self.seconds, seconds: seconds, rotation: device.rotation.normalized)
        }
    }

    /// The last one is the rest at the end.
    private let scenes: [Scene]
    private let isRepeated: Bool
    private let phases: [Double]

    /// After the last part the device rests as it is, or the sequence repeats.
    ///
    /// It repeats from the first orientation. A device that has come to another one is turned back within a second, since no
    /// device can jump there.
    package init(_ parts: [Part], isRepeated: Bool, seed: UInt64) {
        var scenes = [Scene(seconds: 0)]
        for (movements, seconds) in parts { scenes.append(scenes[scenes.count - 1].next(movements, seconds: seconds)) }
        scenes.append(scenes[scenes.count - 1].next())
        let back = -scenes[scenes.count - 1].rotation.radians
        if isRepeated, back.length > 1e-6 {
            scenes[scenes.count - 1].movements = [.turn(by: back)]
            scenes.append(scenes[scenes.count - 1].next())
        }
        self.scenes = scenes
        self.isRepeated = isRepeated
        phases = (0..<4).map { Noise.fraction($0, seed: seed) * 2 * .pi }
    }

    /// How the device moves on what carries it.
    func relative(at seconds: Double) -> RelativeMoment {
        var seconds = max(0, seconds)
        if isRepeated, let end = scenes.last, end.from > 0 {
            seconds = seconds.truncatingRemainder(dividingBy: end.from)
        }
        let scene = scenes[scenes.lastIndex(upTo: seconds, by: \.from)]
        return scene.relative(seconds - scene.from, phases: phases)
    }
}

extension Quaternion {
    /// The vector about which it turns, the short way, by its length in radians.
    fileprivate var radians: Vector3 {
        let sine = Vector3(x: x, y: y, z: z) * (w < 0 ? -1 : 1)
        let length = sine.length
        return length > 0 ? sine * (2 * atan2(length, abs(w)) / length) : .zero
    }
}
