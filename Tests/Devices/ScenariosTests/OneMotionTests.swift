import Glibc
import Motion
import Readings
import Testing

@testable import Mock
@testable import Scenarios

/// All sensors of a simulated host measure one motion: what follows from one agrees with what the others measure.
@Suite struct OneMotionTests {
    /// Sensors with devices and rates of their own; `rotation` is the truth.
    private static func host(_ motion: String, more: String = "") -> String {
        """
        [accelerometer]
        Rates=25Hz 50Hz 100Hz 200Hz
        \(motion)
        \(more)
        [gyroscope]
        Rates=50Hz 100Hz 200Hz
        [magnetometer]
        Rates=25Hz 50Hz
        [rotation]
        Rates=50Hz
        [gravity]
        Rates=50Hz
        [linearacceleration]
        Rates=50Hz
        """
    }

    private static let motions = [
        "Noise=0", "Motion=hand for 30s",
        "Motion=still for 1s\nMotion=rotate x by 90deg for 2s\nMotion=walk and rotate z by -120deg for 3s\nMotion=drop from 1m",
        "Motion=rotate z by 360deg and shake x at 11Hz by 6m/s2 for 5s\nMotion=rotate y by 45deg for 1s",
    ]

    /// The largest angle in radians between the truth and what the gyroscope's samples add up to, from a time on.
    private static func drift(_ rates: PlayedHost.Samples, _ truth: PlayedHost.Samples) throws -> Double {
        let times = rates.keys.sorted()
        let first = try #require(times.first { truth[$0] != nil })
        var attitude = Quaternion(try #require(truth[first]))
        var worst = 0.0
        for (one, next) in zip(times, times.dropFirst()) where one >= first {
            guard let before = rates[one], let after = rates[next] else { continue }
            let mean = (Vector3(before) + Vector3(after)) * 0.5
            attitude = (attitude * Quaternion(turningBy: mean * (Double(next - one) / 1_000))).normalized
            if let truth = truth[next] { worst = max(worst, attitude.angle(to: Quaternion(truth))) }
        }
        return worst
    }

    @Test(
        "the gyroscope's samples add up to the attitude, within the error of their steps", arguments: motions,
        [50, 100, 200] as [Double])
    func integrated(motion: String, hertz: Double) throws {
        let host = try PlayedHost(Self.host(motion))
        let rates = try host.samples(of: "gyroscope", hertz: hertz, milliseconds: 0..<12_000)
        let truth = try host.samples(of: "rotation", hertz: 50, milliseconds: 0..<12_000)
        #expect(rates.count == Int(12 * hertz) && truth.count == 600)
        #expect(rates.values.contains { abs($0.x) > 0.01 || abs($0.z) > 0.01 })
        let drift = try Self.drift(rates, truth)
        // That of the mean of two rates grows with the square of the step; what is reported is rounded.
        #expect(drift < 60 / (hertz * hertz) + 5e-4, "\(drift)")
    }

    @Test("accelerometer and magnetometer agree with the attitude, at whatever rates", arguments: motions)
    func directions(motion: String) throws {
        let host = try PlayedHost(Self.host(motion))
        func samples(_ name: String, _ hertz: Double) throws -> PlayedHost.Samples {
            try host.samples(of: name, hertz: hertz, milliseconds: 0..<12_000)
        }
        let (truth, gravity, linear) = (
            try samples("rotation", 50), try samples("gravity", 50), try samples("linearacceleration", 50)
        )
        let field = SurroundingField().shape(atSeconds: 0)
        let level = Vector3(x: 0, y: field.horizontal, z: -field.downward)
        for hertz in [25, 50] as [Double] {
            let accelerations = try samples("accelerometer", 2 * hertz)
            let fields = try samples("magnetometer", hertz)
            var compared = 0
            for (time, rotation) in truth {
                let attitude = Quaternion(rotation)
                let (pull, push) = (Vector3(try #require(gravity[time])), Vector3(try #require(linear[time])))
                #expect((attitude.turn(pull) - Vector3(x: 0, y: 0, z: 9.80665)).length < 1e-3)
                if let acceleration = accelerations[time] {
                    #expect((Vector3(acceleration) - pull - push).length < 0.2)
                    compared += 1
                }
                if let measured = fields[time] { #expect((attitude.turn(Vector3(measured)) - level).length < 0.02) }
            }
            #expect(compared >= 600)
        }
    }

    @Test(
        "from the samples of imperfect sensors, at rates of their own, a filter finds the attitude again",
        arguments: motions)
    func fused(motion: String) throws {
        let host = try PlayedHost(
            """
            [accelerometer]
            Rates=100Hz
            Noise=0.03
            \(motion == "Noise=0" ? "" : motion)
            [gyroscope]
            Rates=200Hz
            Noise=0.002
            Bias=0.3deg/s -0.5deg/s 0.2deg/s
            [magnetometer]
            Rates=50Hz
            Noise=0.3
            [rotation]
            Rates=50Hz
            """)
        let range = 0..<40_000 as Range<Int64>
        let rates = try host.samples(of: "gyroscope", hertz: 200, milliseconds: range)
        let accelerations = try host.samples(of: "accelerometer", hertz: 100, milliseconds: range)
        let fields = try host.samples(of: "magnetometer", hertz: 50, milliseconds: range)
        let truth = try host.samples(of: "rotation", hertz: 50, milliseconds: range)
        var calibration = MotionCalibration()
        calibration.magnetometerIsCalibrated = true
        calibration.field = SurroundingField().shape(atSeconds: 0)
        var filter = MotionFilter(calibration)
        var squares = 0.0
        var count = 0
        for millisecond in range {
            let time = BootTime(nanoseconds: millisecond * 1_000_000)
            if let value = rates[millisecond] { _ = filter.take(rate: Vector3(value), at: time) }
            if let value = accelerations[millisecond] { _ = filter.take(acceleration: Vector3(value), at: time) }
            if let value = fields[millisecond] { _ = filter.take(field: Vector3(value), at: time) }
            guard let truth = truth[millisecond], let rotation = filter.rotation, millisecond > 10_000 else { continue }
            let error = rotation.angle(to: Quaternion(truth)) * 180 / .pi
            squares += error * error
            count += 1
        }
        let error = (squares / Double(max(1, count))).squareRoot()
        #expect(count > 1_000 && error < 3, "\(error)° in \(count)")
    }

    @Test("a device that is closed and opened again goes on where the others are: time does not start again")
    func reopened() throws {
        let host = try PlayedHost(Self.host(Self.motions[1]))
        let always = try host.samples(of: "gyroscope", hertz: 100, milliseconds: 0..<9_000)
        let broken = try host.samples(of: "gyroscope", hertz: 100, milliseconds: 0..<9_000, closed: 2_003..<5_507)
        #expect(broken.count < always.count - 300)
        for (time, rate) in broken { #expect(rate == always[time], "at \(time) ms") }
        let truth = try host.samples(of: "rotation", hertz: 50, milliseconds: 0..<9_000)
        #expect(try Self.drift(broken.filter { $0.key > 5_600 }, truth) < 0.01)
        // Opened late, it does not begin at the beginning either.
        let late = try host.samples(of: "gyroscope", hertz: 100, milliseconds: 4_000..<6_000)
        #expect(late.count > 190 && late.allSatisfy { $1 == always[$0] })
    }

    private static func value(_ text: String, _ name: String, seconds: Double) throws -> SIMD4<Double> {
        let from = Int64(seconds * 1_000)
        let samples = try PlayedHost(text).samples(of: name, hertz: 100, milliseconds: from..<from + 10)
        return try #require(samples[from / 10 * 10])
    }

    @Test("what a scenario states of one sensor holds for that sensor alone")
    func own() throws {
        let text = """
            [accelerometer]
            Motion=rotate x by 90deg for 1s
            Motion=still for 1min
            [accelerometer:still]
            Motion=still for 1min
            [accelerometer:numbers]
            Samples=1 2 3
            [accelerometer:turned]
            MountedOn=accelerometer
            Motion=still for 2s
            Motion=rotate z by 90deg for 1s
            Motion=still for 1min
            [gravity:turned]
            PartOf=accelerometer:turned
            [gravity]
            """
        #expect(try Self.value(text, "accelerometer", seconds: 5) == [0, 9.8067, 0, 0])
        #expect(try Self.value(text, "gravity", seconds: 5) == [0, 9.8067, 0, 0])
        #expect(try Self.value(text, "accelerometer:still", seconds: 5) == [0, 0, 9.8067, 0])
        #expect(try Self.value(text, "accelerometer:numbers", seconds: 5) == [1, 2, 3, 0])
        #expect(try Self.value(text, "accelerometer:turned", seconds: 5) == [9.8067, 0, 0, 0])
        #expect(try Self.value(text, "gravity:turned", seconds: 5) == [9.8067, 0, 0, 0])
    }

    @Test("a bias, its drift with the temperature, and a disturbance are those of the scenario")
    func imperfections() throws {
        let text = """
            [accelerometer]
            Motion=still for 10s
            Bias=0.25
            [gyroscope]
            Bias=0.01 -0.02 90deg/s
            TemperatureDrift=0.001 0 -0.002
            [temperature]
            Samples=45
            [magnetometer]
            Bias=1 2 3
            Disturbance=100uT dip 0deg from 2s for 3s
            [magnetometer:other]
            """
        #expect(try Self.value(text, "accelerometer", seconds: 1) == [0.25, 0.25, 10.0567, 0])
        #expect(try Self.value(text, "gyroscope", seconds: 1) == [0.03, -0.02, 1.5308, 0])
        let plain = try Self.value(text, "magnetometer:other", seconds: 3)
        for (seconds, field) in [(1.0, plain), (3, [0, 100, 0, 0]), (5, plain)] as [(Double, SIMD4<Double>)] {
            let difference = try Self.value(text, "magnetometer", seconds: seconds) - field - [1, 2, 3, 0]
            #expect((difference * difference).sum() < 1e-9, "\(seconds) s")
        }
    }

    @Test(
        "the hinge of the laptop is open by 180°, then by 110°, and is folded round to 360°, whatever the whole of it does",
        arguments: [(200, 180.0), (5_000, 110.0), (22_000, 360.0)] as [(Int64, Double)])
    func hinge(milliseconds: Int64, degrees: Double) throws {
        let host = try PlayedHost(shipped: "laptop")
        func mean(_ name: String) throws -> Vector3 {
            let samples = try host.samples(
                of: name, hertz: 100, milliseconds: milliseconds..<milliseconds + 500
            ).values
            return Vector3(samples.reduce(.zero, +) / Double(samples.count))
        }
        let (base, lid) = (try mean("accelerometer:base"), try mean("accelerometer"))
        // About the x axis of both, in the plane of y and z
        let turned = (atan2(lid.y, lid.z) - atan2(base.y, base.z)) * 180 / .pi
        #expect(abs((180 - turned - degrees).remainder(dividingBy: 360)) < 1, "\(180 - turned)")
    }
}
