import SensorValues
import Testing

@testable import Motion

@Suite struct PartTests {
    @Test("a rotation by series is the one by sine and cosine, where they meet")
    func rotations() {
        for angle in [0.0, 1e-9, 0.1, 0.4898, 0.49, 0.4901, 1, 3] {
            let one = Quaternion(turningBy: Vector3(x: 0, y: angle, z: 0))
            let half = Quaternion(turningBy: Vector3(x: 0, y: angle / 2, z: 0))
            let twice = half * half
            #expect(abs(one.w - twice.w) < 1e-15 && abs(one.y - twice.y) < 1e-15)
        }
    }

    @Test("the shortest way upright, from anywhere")
    func upright() throws {
        for direction in [
            Vector3(x: 0, y: 0, z: 9), Vector3(x: 3, y: 0, z: 0), Vector3(x: 1, y: -2, z: -3),
            Vector3(x: 0, y: 0, z: -1),
            Vector3(x: 1e-9, y: 0, z: -1),
        ] {
            let turned = try #require(Quaternion(uprighting: direction)).turn(direction)
            #expect(abs(turned.x) < 1e-6 && abs(turned.y) < 1e-6 && turned.z > 0)
        }
        #expect(Quaternion(uprighting: .zero) == nil)
    }

    @Test("a starting mean hardly sees a change of velocity, and a plain one does")
    func startingMean() {
        var mean = StartingMean()
        var plain = 0.0
        var last = Vector3.zero
        for index in 1...200 {
            // From full speed one way to full speed the other way, in half a second, four times.
            let push = Vector3(x: 10 * ((index / 25) % 2 == 0 ? 1.0 : -1), y: 0, z: 10)
            last = mean.take(push, over: 0.01)
            plain += push.x / 200
        }
        #expect(abs(last.x) < 0.6 && abs(last.z - 10) < 1e-9)
        _ = plain
    }

    @Test("a low pass forgets its start at half of its period, and follows any intervals")
    func lowPass() {
        var even = LowPass(afterNothing: true)
        var uneven = LowPass(afterNothing: true)
        let one = Vector3(x: 1, y: 0, z: 0)
        var result = Vector3.zero
        for _ in 0..<2_000 { result = even.take(one, LowPass.Step(seconds: 0.01, timeConstantSeconds: 3)) }
        var other = Vector3.zero
        for index in 0..<2_000 {
            other = uneven.take(
                one, LowPass.Step(seconds: index % 2 == 0 ? 0.002 : 0.018, timeConstantSeconds: 3))
        }
        #expect(abs(result.x - 1) < 0.01 && abs(result.x - other.x) < 1e-4)
    }

    @Test("a bias is learnt along the directions that were seen, and along no other")
    func bias() {
        var bias = GyroscopeBias(.zero, uncertain: 0.02)
        let direction = Vector3(x: 0.6, y: 0.8, z: 0)
        for _ in 0..<200 { bias.observe(0.01, along: direction, variance: 1e-6) }
        #expect(abs(bias.value.dot(direction) - 0.01) < 1e-4)
        #expect(bias.value.z == 0 && abs(bias.value.dot(Vector3(x: 0.8, y: -0.6, z: 0))) < 1e-9)
        #expect(bias.variance(along: direction) < 1e-7)
        #expect(abs(bias.variance(across: direction) - 2 * 4e-4) < 1e-6)
    }

    @Test("headings meet at half a turn")
    func wrapped() {
        var heading = NorthOffset()
        heading.take(seen: 3.1, variance: 0.01, noise: 0.01, after: 0)
        for _ in 0..<3_000 { heading.take(seen: -3.1, variance: 0.01, noise: 0.01, after: 0.1) }
        #expect(abs(abs(heading.radians ?? 0) - 3.1) < 0.05)
        #expect(heading.variance < 0.01)
    }

    @Test("a clock takes any times")
    func clock() {
        var clock = SampleClock()
        #expect(clock.advance(to: .init(nanoseconds: .min)) == 0)
        #expect(clock.advance(to: .init(nanoseconds: .max)) == 1e9)
        #expect(clock.advance(to: .init(nanoseconds: .max)) == nil)
        #expect(clock.seconds(until: .init(nanoseconds: .min)) == -1e9)
    }
}
