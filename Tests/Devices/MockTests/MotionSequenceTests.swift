import Glibc
import Motion
import Readings
import Testing

@testable import Mock

@Suite struct MotionSequenceTests {
    private static let g = RigidMotion.gravity

    /// What an accelerometer measures of a sequence.
    private struct Force {
        let motion: HostMotion

        func force(atSeconds seconds: Double) -> SIMD3<Double> {
            let moment = motion.moment(atSeconds: seconds, in: FieldShape(strength: 50, dipDegrees: 60))
            return SIMD3(moment.acceleration.x, moment.acceleration.y, moment.acceleration.z)
        }
    }

    private static func sequence(_ parts: (Movement, Double)..., isRepeated: Bool = true) -> Force {
        Force(
            motion: HostMotion(
                MotionSequence(parts.map { (movements: [$0.0], seconds: $0.1) }, isRepeated: isRepeated, seed: 1)))
    }

    private static func isNear(_ one: SIMD3<Double>, _ other: SIMD3<Double>, _ limit: Double = 1e-9) -> Bool {
        let difference = one - other
        return (difference * difference).sum().squareRoot() <= limit
    }

    @Test("at rest with its screen up it reads gravity on z")
    func still() {
        #expect(Self.sequence((.still, 10)).force(atSeconds: 3) == [0, 0, Self.g])
    }

    @Test(
        "when turned, gravity moves to the other axes: by 90° about x the top edge is up",
        arguments: [
            (.x, 90.0, [0, 1, 0]), (.x, -90, [0, -1, 0]), (.y, 90, [-1, 0, 0]), (.y, -90, [1, 0, 0]),
            (.x, 180, [0, 0, -1]), (.z, 90, [0, 0, 1]), (.y, 360, [0, 0, 1]),
        ] as [(Movement.Axis, Double, SIMD3<Double>)])
    func rotate(axis: Movement.Axis, degrees: Double, up: SIMD3<Double>) {
        let sequence = Self.sequence((.rotate(axis, degrees: degrees), 2), (.still, 1))
        #expect(Self.isNear(sequence.force(atSeconds: 2.5), up * Self.g))
        // On its way it turns, but the length of gravity stays the same.
        let half = sequence.force(atSeconds: 1)
        #expect(abs((half * half).sum().squareRoot() - Self.g) < 1e-9)
        // Starts again in its first position, after it has been turned back to it if it has another one.
        let round = degrees == 360 ? 3.0 : 4
        #expect(Self.isNear(sequence.force(atSeconds: round), [0, 0, Self.g]))
        #expect(Self.isNear(sequence.force(atSeconds: round + 2.5), up * Self.g))
    }

    @Test("two turns add up, each about the device's own axis")
    func turns() {
        let sequence = Self.sequence(
            (.rotate(.x, degrees: 90), 1), (.rotate(.z, degrees: 90), 1), (.still, 1), isRepeated: false)
        #expect(Self.isNear(sequence.force(atSeconds: 2.5), [Self.g, 0, 0]))
        #expect(Self.isNear(sequence.force(atSeconds: 100), [Self.g, 0, 0]), "it stays as it is")
    }

    @Test("a falling device has no weight, and the impact takes away its whole speed")
    func drop() {
        let length = Movement.dropSeconds(meters: 1)
        let sequence = Self.sequence((.drop, length), (.still, 1))
        #expect(sequence.force(atSeconds: 0.2) == .zero)
        let fall = length - Movement.impactSeconds
        #expect(abs(fall - 0.4516) < 1e-3)
        let steps = 3_000
        let gained = (0..<steps).reduce(0.0) { sum, step in
            let seconds = fall + (Double(step) + 0.5) * Movement.impactSeconds / Double(steps)
            return sum + (sequence.force(atSeconds: seconds).z - Self.g) * Movement.impactSeconds / Double(steps)
        }
        #expect(abs(gained - Self.g * fall) < 0.01)
    }

    @Test("walking and driving shake it, about gravity on the mean", arguments: [Movement.walk(hertz: 1.9), .drive])
    func mean(motion: Movement) {
        let sequence = Self.sequence((motion, 1e5))
        let forces = (0..<100_000).map { sequence.force(atSeconds: Double($0) * 0.0137) }
        let mean = forces.reduce(.zero, +) / Double(forces.count)
        #expect(Self.isNear(mean, [0, 0, Self.g], 0.05), "\(mean)")
        #expect(forces.contains { abs($0.z - Self.g) > 0.3 })
    }

    @Test("a shake has its frequency and strength, along its axis")
    func shake() {
        let sequence = Self.sequence((.shake(.y, hertz: 5, metersPerSecondSquared: 20), 10))
        #expect(Self.isNear(sequence.force(atSeconds: 0.05), [0, 20, Self.g]))
        #expect(Self.isNear(sequence.force(atSeconds: 0.15), [0, -20, Self.g]))
    }

    private static func instant(_ milliseconds: Int64, index: Int64 = 0) -> MockScript.Instant {
        MockScript.Instant(elapsedNanoseconds: milliseconds * 1_000_000, index: index, utcNanoseconds: 0)
    }

    @Test("given values appear at their times, are interpolated in between, and repeat")
    func series() {
        let values = [(0, 1.0), (100, 3.0), (200, 2.0)].map {
            (offsetNanoseconds: Int64($0.0) * 1_000_000, values: Acceleration(x: $0.1, y: 0, z: 0).values)
        }
        let again = ValueSeries(values, isRepeated: true)
        #expect(
            [0, 50, 100, 150, 200, 250, 300, 350].map { again.value(at: Self.instant($0)).x } == [
                1, 2, 3, 2.5, 2, 1.5, 1, 2,
            ])
        let once = ValueSeries(values, isRepeated: false)
        #expect(once.value(at: Self.instant(10_000)).x == 2)
        let single = ValueSeries(Array(values.prefix(1)), isRepeated: true)
        #expect(single.value(at: Self.instant(12_345)).x == 1)
        let inTurn = ValueSeries(values.map(\.values), isRepeated: true)
        #expect((0..<5).map { inTurn.value(at: Self.instant(0, index: $0)).x } == [1, 3, 2, 1, 3])
        let last = ValueSeries(values.map(\.values), isRepeated: false)
        #expect(last.value(at: Self.instant(0, index: 99)).x == 2)
    }

    private static func series(_ kind: Kind, _ rows: [(Int64, SIMD4<Double>)]) -> ValueSeries {
        ValueSeries(rows.map { ($0.0 * 1_000_000, Values(kind, $0.1)) }, isRepeated: true)
    }

    @Test("between the rows of a table the rule of the kind applies: no heading turns the long way round")
    func rules() {
        let heading = Self.series(.heading, [(0, [350, 0, 0, 0]), (5, [10, 0, 0, 0])])
        // And back to the first row.
        let degrees = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map { heading.value(at: Self.instant($0)).x.rounded() }
        #expect(degrees == [350, 354, 358, 2, 6, 10, 6, 2, 358, 354])
        let near = Self.series(.proximity, [(0, [0, 10, 0, 0]), (10, [1, 90, 0, 0])])
        #expect([0, 9, 10].map { near.value(at: Self.instant($0)).y } == [10, 10, 90])
    }

    @Test("between a rotation and its negative, or a rotation near by, are rotations near by")
    func rotations() {
        let half = 0.5.squareRoot()
        let same = Self.series(.rotation, [(0, [0, 0, half, half]), (10, [0, 0, -half, -half])])
        let turned = Self.series(.rotation, [(0, [0, 0, half, half]), (10, [0, 0, -0.766_044_44, -0.642_787_61])])
        for time in 0..<20 as Range<Int64> {
            let value = same.value(at: Self.instant(time))
            #expect(abs(abs((value * SIMD4(0, 0, half, half)).sum()) - 1) < 1e-9, "\(time) ms: \(value)")
            let other = turned.value(at: Self.instant(time))
            let yaw = 2 * atan2(other.z, other.w) * 180 / .pi
            #expect((89.9...100.1).contains(yaw < 0 ? yaw + 360 : yaw))
        }
    }

    @Test("noise and rounding leave a heading a heading, and a rotation a rotation")
    func noisyAngles() {
        var traits = ChipTraits()
        traits.noise = 1
        for time in 0..<1_000 as Range<Int64> {
            let heading = MockChip(of: .heading, traits).measure([0, 0, 0, 0], Self.instant(time)).x
            #expect((0..<360).contains(heading) && (heading < 10 || heading > 350))
        }
        #expect(MockChip(of: .heading, ChipTraits()).measure([359.999_9, 0, 0, 0], Self.instant(0)).x == 0)
        let unturned = MockChip(of: .rotation, ChipTraits()).measure(.zero, Self.instant(0))
        #expect(!Values(.rotation, unturned).isPossible)
    }
}
