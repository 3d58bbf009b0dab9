import Motion
import SensorValues
import TestTools
import Testing

@Suite struct HostileInputTests {
    private static func settled() -> MotionFilter {
        var filter = MotionFilter.compass()
        Play().run(&filter, to: 20)
        return filter
    }

    private static let next = BootTime(nanoseconds: 20_000_000_000)

    @Test(
        "no numbers, and impossible ones, are refused and change nothing",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, .signalingNaN])
    func impossible(number: Double) {
        var filter = Self.settled()
        let before = filter.attitude
        for vector in [
            Vector3(x: number, y: 0, z: 0), Vector3(x: 0, y: number, z: 0), Vector3(x: 0, y: 0, z: number),
        ] {
            #expect(filter.take(rate: vector, at: Self.next) == .refused(.impossible))
            #expect(filter.take(acceleration: vector, at: Self.next) == .refused(.impossible))
            #expect(filter.take(field: vector, at: Self.next) == .refused(.impossible))
        }
        #expect(filter.attitude == before)
        #expect(filter.take(rate: .zero, at: Self.next) == .taken)
    }

    @Test("times that are not later are refused")
    func order() {
        var filter = Self.settled()
        let before = filter.attitude
        for nanoseconds: Int64 in [.min, -1, 0, 19_990_000_000] {
            #expect(
                filter.take(rate: Vector3(x: 1, y: 1, z: 1), at: BootTime(nanoseconds: nanoseconds))
                    == .refused(.notLater))
        }
        let again = BootTime(nanoseconds: 19_990_000_000)
        #expect(filter.take(acceleration: Vector3(x: 9, y: 0, z: 0), at: again) == .refused(.notLater))
        #expect(filter.take(field: Vector3(x: 9, y: 0, z: 0), at: again) == .refused(.notLater))
        #expect(filter.attitude == before)
    }

    @Test("what was measured far from any rate is refused")
    func apart() {
        var filter = Self.settled()
        for nanoseconds: Int64 in [.min, 19_000_000_000, 20_200_000_000, .max] {
            let time = BootTime(nanoseconds: nanoseconds)
            #expect(filter.take(acceleration: Vector3(x: 0, y: 0, z: 9.8), at: time) == .refused(.noRate))
            #expect(filter.take(field: Vector3(x: 0, y: 20, z: -40), at: time) == .refused(.noRate))
        }
    }

    @Test("the end of time restarts it")
    func end() {
        var filter = Self.settled()
        #expect(filter.take(rate: .zero, at: BootTime(nanoseconds: .max)) == .restarted)
        #expect(filter.take(rate: .zero, at: BootTime(nanoseconds: .max)) == .refused(.notLater))
    }

    @Test("whatever is possible leaves it finite", arguments: 1...20)
    func anything(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var filter = MotionFilter.compass(seed % 2 == 0 ? FieldShape(strength: 50, dipDegrees: 60) : nil)
        var time: Int64 = seed % 3 == 0 ? .min : 0
        func vector(_ most: Double) -> Vector3 {
            let size = random.below(3) == 0 ? most : random.below(2) == 0 ? most * 1e-3 : 0
            return Vector3(
                x: .random(in: -size...size, using: &random), y: .random(in: -size...size, using: &random),
                z: .random(in: -size...size, using: &random))
        }
        for _ in 0..<5_000 {
            time += Int64([1, 1_000, 5_000_000, 20_000_000, 300_000_000][random.below(5)])
            let now = BootTime(nanoseconds: time)
            switch random.below(3) {
            case 0: filter.take(rate: vector(1_000), at: now)
            case 1: filter.take(acceleration: vector(100_000), at: now)
            default: filter.take(field: vector(1_000_000), at: now)
            }
            if random.below(500) == 0 { filter.interrupt() }
            #expect(filter.tiltErrorRadians >= 0 && filter.tiltErrorRadians <= .pi)
            #expect(filter.headingErrorRadians >= 0 && filter.headingErrorRadians <= .pi)
            for rotation in [filter.attitude, filter.rotation].compactMap({ $0 }) {
                let square =
                    rotation.w * rotation.w + rotation.x * rotation.x + rotation.y * rotation.y
                    + rotation.z * rotation.z
                #expect(abs(square - 1) < 1e-9)
            }
            #expect(filter.bias.value.isWithin(1_000))
            if let own = filter.linearAcceleration { #expect(own.isWithin(1e6)) }
        }
    }
}
