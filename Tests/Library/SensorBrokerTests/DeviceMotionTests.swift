import SensorBrokerTesting
import SensorValues
import Testing
import Varlink

@testable import SensorBroker

/// What a motion is made of, and what is asked for it.
@Suite(.timeLimit(.minutes(30))) struct DeviceMotionTests {
    typealias Frame = DeviceMotion.ReferenceFrame

    private static func values(_ kind: Kind, _ numbers: Double...) -> Measurement {
        var vector = SIMD4<Double>.zero
        for (channel, number) in numbers.enumerated() { vector[channel] = number }
        return .values(Values(kind, vector))
    }

    /// A quaternion of a turn about the vertical, in degrees.
    private static func turn(_ kind: Kind, _ degrees: Double) -> Measurement {
        let upright = Attitude(x: 0, y: 0, z: 0, w: 1).turnedAboutVertical(degrees: degrees)
        return values(kind, upright.x, upright.y, upright.z, upright.w)
    }

    private static let parts: [Measurement?] = [
        values(.angularVelocity, 0.5, 0.25, 1), values(.gyroscopeBias, 0.5, 0.125, 0.5), values(.gravity, 0, 0, 9.8),
        values(.linearAcceleration, 1, 2, 3),
    ]

    @Test("without a north, a motion is attitude, rate without bias, gravity and acceleration")
    func arbitrary() throws {
        let motion = try #require(DeviceMotion(MeasuredValue(Self.turn(.attitude, 40), with: Self.parts)))
        #expect(motion.frame == .arbitrary && abs(motion.attitude.yawRadians * 180 / .pi - 40) < 1e-9)
        #expect(motion.rotationRate == AngularVelocity(x: 0, y: 0.125, z: 0.5))
        #expect(motion.gravity.z == 9.8 && motion.userAcceleration.y == 2)
        #expect(motion.headingDegrees == nil && motion.tiltErrorDegrees == nil && motion.magneticField == nil)
        #expect(motion.description == "yaw 40.0°, pitch 0.0°, roll 0.0°, 0.52 rad/s, 3.74 m/s²")
    }

    @Test("magnetic north comes with its heading and errors; an error of half a turn means that nothing is known")
    func magneticNorth() throws {
        let parts =
            Self.parts + [
                Self.values(.heading, 30), Self.values(.attitudeError, 0.5, 180),
                Self.values(.magneticField, 20, 0, -40),
            ]
        let motion = try #require(DeviceMotion(MeasuredValue(Self.turn(.rotation, -30), with: parts)))
        #expect(motion.frame == .magneticNorth && abs(motion.attitude.yawRadians * 180 / .pi + 30) < 1e-9)
        #expect(motion.headingDegrees == 30 && motion.tiltErrorDegrees == 0.5 && motion.headingErrorDegrees == nil)
        #expect(motion.magneticField?.z == -40)
    }

    @Test(
        "the axes of true north are those of magnetic north, turned by what the two headings differ by",
        arguments: [
            (4.0, 34.0), (-30.0, 0.0), (-40.0, 350.0),
        ])
    func trueNorth(declination: Double, heading: Double) throws {
        let parts = Self.parts + [Self.turn(.rotation, -30), Self.values(.heading, 30)]
        let motion = try #require(DeviceMotion(MeasuredValue(Self.values(.trueHeading, heading), with: parts)))
        #expect(motion.frame == .trueNorth && motion.headingDegrees == heading)
        #expect(abs(motion.attitude.yawRadians * 180 / .pi + 30 + declination) < 1e-9)
    }

    @Test("a motion of which a part is unknown is none, and a gap in a stream")
    func incomplete() async throws {
        for missing in Self.parts.indices {
            var parts = Self.parts
            parts[missing] = nil
            #expect(DeviceMotion(MeasuredValue(Self.turn(.attitude, 0), with: parts)) == nil)
        }
        let mailbox = Mailbox(EventBuffer<DeviceMotion>(capacity: 8))
        let sink = MailboxSink(mailbox) { _ in true }
        var measured = Measured(
            resource: .attitude, timestamp: BootTime(nanoseconds: 5), measurement: Self.turn(.attitude, 0),
            companions: [nil] + Self.parts.dropFirst(), companionNames: Frame.arbitrary.companions(with: []))
        sink.take(.measured([measured]))
        measured.companions = Self.parts
        sink.take(.measured([measured]))
        guard case .gap(let gap)? = try await mailbox.next(isolation: nil) else {
            Issue.record("the incomplete one was not reported")
            return
        }
        #expect(gap.cause == .incomplete && gap.count == 1 && gap.until.nanoseconds == 5)
        guard case .reading? = try await mailbox.next(isolation: nil) else {
            Issue.record("the complete one was not reported")
            return
        }
    }

    @Test("only what a frame needs is asked for, and the gyroscope at each of its samples", arguments: Frame.allCases)
    func asked(frame: Frame) throws {
        var bench = HubBench()
        var request = SensorRequest(frame.lead)
        request.interval = .milliseconds(20)
        request.companions = frame.companions(with: [])
        _ = bench.listen(request)
        let asked = try #require(bench.open[bench.connections("Subscribe")[0]]).parameters.objects("requests")
        let names = try asked.map { try $0.string("resource") }
        let always = ["gyroscope", "gyroscopebias", "gravity", "linearacceleration"]
        switch frame {
        case .arbitrary: #expect(Set(names) == Set(always + ["attitude"]))
        case .magneticNorth: #expect(Set(names) == Set(always + ["rotation", "heading", "attitudeerror"]))
        case .trueNorth:
            #expect(Set(names) == Set(always + ["rotation", "heading", "attitudeerror", "trueheading"]))
        }
        for one in asked {
            let interval = try one.optionalInteger("intervalNanoseconds")
            #expect(interval == (try one.string("resource") == "gyroscope" ? 0 : 20_000_000))
        }
        #expect(frame.companions(with: [.magneticField]).contains(.magnetometer))
        #expect(frame.companions(with: [.errors]).filter { $0 == .attitudeError }.count == 1)
    }

    @Test("the newest motion is not the newest attitude, which may have come alone")
    func newest() {
        var readings = NewestReadings()
        let names = Frame.arbitrary.companions(with: [])
        let composed = Measured(
            resource: .attitude, timestamp: BootTime(nanoseconds: 5), measurement: Self.turn(.attitude, 0),
            companions: Self.parts, companionNames: names)
        let plain = Measured(
            resource: .attitude, timestamp: BootTime(nanoseconds: 9), measurement: Self.turn(.attitude, 1))
        readings.keep(plain, of: nil)
        readings.keep(composed, of: nil)
        #expect(readings[.attitude] == plain && readings[.attitude, names] == composed)
        #expect(readings[.attitude, []] == plain && readings[.attitude, [.gyroscope]] == nil)
        // A batch of another stream with the same companions comes later, and is older.
        var late = composed
        late.timestamp = BootTime(nanoseconds: 4)
        readings.keep(late, of: nil)
        #expect(readings[.attitude, names] == composed)
        readings.forget(.attitude)
        #expect(readings[.attitude, names] == nil)
    }

    @Test("a rotation turns vectors into its frame, as a matrix does, and is compared with a former one")
    func geometry() {
        // The top edge up, and the screen to the south.
        let half = 0.5.squareRoot()
        let upright = Attitude(x: half, y: 0, z: 0, w: half)
        let ahead = upright.turned(Acceleration(x: 1, y: 2, z: 3))
        #expect(abs(ahead.x - 1) < 1e-12 && abs(ahead.y + 3) < 1e-12 && abs(ahead.z - 2) < 1e-12)
        let back = upright.matrix.transposed * SIMD3(ahead.x, ahead.y, ahead.z)
        #expect(abs((back - SIMD3(1, 2, 3)).max()) < 1e-12)
        let later = upright.turnedAboutVertical(degrees: 30)
        #expect(abs(later.since(upright).rollRadians * 180 / .pi - 30) < 1e-9)
        #expect(abs(DeviceMotion(attitude: upright).gravity.y - 9.80665) < 1e-12)
    }

    @Test("code that takes a service of motion runs on a script, in virtual time")
    func scripted() async throws {
        func largestTilt(_ motion: any SensorService<DeviceMotion>, of count: Int) async throws -> Double {
            var largest = 0.0
            var left = count
            for try await reading in motion.readings {
                largest = max(largest, abs(reading.value.attitude.pitchRadians))
                left -= 1
                if left == 0 { break }
            }
            return largest
        }
        let time = VirtualTime()
        let half = 0.5.squareRoot()
        let motions = [DeviceMotion(), DeviceMotion(attitude: Attitude(x: half, y: 0, z: 0, w: half))]
        let sensor = ScriptedSensor(motion: time, in: .magneticNorth, .readings(motions, every: .milliseconds(20)))
        time.advance(by: .milliseconds(40))
        #expect(try await abs(largestTilt(sensor, of: 2) - .pi / 2) < 1e-6)
        #expect(sensor.latest?.resource == .rotation)
    }
}
