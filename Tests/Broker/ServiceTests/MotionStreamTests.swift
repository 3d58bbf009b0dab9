import Devices
import Foundation
import Motion
import Readings
import Testing

@testable import Service

/// What is reported of a motion whose truth is known, from samples as a chip yields them.
@Suite(.timeLimit(.minutes(30))) struct MotionStreamTests {
    private static let second: Int64 = 1_000_000_000

    /// Feeds the samples of perfect sensors, in turns of several scans: first all accelerations of a turn, then all rates.
    private struct Player {
        var motion = RigidMotion.hand(pace: Pace(restSeconds: 3, movingSeconds: 4))
        var stream: MotionStream
        var periodNanoseconds: Int64 = 10_000_000
        var scansInTurn = 1
        var events: [DeviceEvent] = []
        var intake = Intake()
        private var sequence: UInt64 = 0

        init(_ outputs: [Kind], every nanoseconds: Int64? = nil, isCalibrated: Bool = false) {
            var calibration = MotionCalibration()
            calibration.magnetometerIsCalibrated = isCalibrated
            stream = MotionStream(calibration)
            stream.want(outputs, every: nanoseconds)
        }

        static func sample(_ kind: Kind, _ vector: Vector3, _ time: Int64) -> Sample {
            Sample(
                sequence: 0, timestamp: BootTime(nanoseconds: time),
                measurement: .values(Values(kind, SIMD4(vector.x, vector.y, vector.z, 0))))
        }

        mutating func play(_ seconds: Range<Double>) {
            var time = Int64(seconds.lowerBound * 1e9)
            while time < Int64(seconds.upperBound * 1e9) {
                var (rates, accelerations, fields) = (SampleList(), SampleList(), SampleList())
                for _ in 0..<scansInTurn {
                    let moment = motion.moment(at: Double(time) / 1e9)
                    rates.append(Self.sample(.angularVelocity, moment.rate, time))
                    accelerations.append(Self.sample(.acceleration, moment.acceleration, time))
                    fields.append(Self.sample(.magneticField, moment.field, time))
                    time += periodNanoseconds
                }
                stream.take(accelerations, of: .accelerometer)
                stream.take(fields, of: .magnetometer)
                stream.take(rates, of: .gyroscope)
                conclude()
            }
        }

        mutating func conclude() {
            stream.conclude(into: &intake)
            events += intake.events
            intake.removeAll()
        }

        func samples(of kind: Kind) -> [Sample] {
            events.compactMap { event in
                if case .sample(let sample) = event, sample.measurement.kind == kind { sample } else { nil }
            }
        }

        /// The greatest difference in degrees between where the vertical, or else all of the rotation, is and what is reported.
        func worst(_ kind: Kind, after seconds: Double = 0) -> Double {
            samples(of: kind).filter { $0.timestamp.nanoseconds > Int64(seconds * 1e9) }.map { sample in
                guard case .values(let values) = sample.measurement else { return .infinity }
                let found = Quaternion(w: values[3], x: values[0], y: values[1], z: values[2])
                let truth = motion.moment(at: Double(sample.timestamp.nanoseconds) / 1e9).attitude
                let cosine =
                    kind == .attitude
                    ? found.up.dot(truth.up)
                    : 2 * Self.square(found.w * truth.w + found.x * truth.x + found.y * truth.y + found.z * truth.z) - 1
                return acos(max(-1, min(1, cosine))) * 180 / .pi
            }.max() ?? .infinity
        }

        private static func square(_ number: Double) -> Double { number * number }
    }

    @Test("the vertical is right, at each rate, however many scans come in a turn", arguments: [1, 7, 100])
    func vertical(scansInTurn: Int) {
        var player = Player([.attitude, .gravity, .linearAcceleration])
        player.scansInTurn = scansInTurn
        player.play(0..<20)
        #expect(player.worst(.attitude) < 1)
        let reported = player.samples(of: .attitude)
        #expect(reported.count > 1_900 && reported.map(\.sequence) == (0..<UInt64(reported.count)).map { $0 })
        #expect(player.samples(of: .gravity).map(\.timestamp) == reported.map(\.timestamp))
        for sample in player.samples(of: .gravity) {
            guard case .values(let values) = sample.measurement else { continue }
            #expect(abs(Vector3(values).length - 9.80665) < 0.1)
        }
    }

    @Test("turns of any size yield the same, bit for bit")
    func sameInAnyTurn() {
        var (one, many) = (
            Player(Kind.ofMotion, isCalibrated: true), Player(Kind.ofMotion, isCalibrated: true)
        )
        many.scansInTurn = 50
        one.play(0..<10)
        many.play(0..<10)
        #expect(one.events == many.events)
        #expect(one.samples(of: .heading).count > 500)
    }

    @Test(
        "it reports as often as a device at the wanted interval would: never less",
        arguments: [(20, 20), (15, 10), (16, 10), (30, 30), (1_000, 1_000), (1, 10)])
    func intervals(wanted: Int64, reported: Int64) {
        var player = Player([.attitude], every: wanted * 1_000_000)
        player.play(0..<6)
        let times = player.samples(of: .attitude).map(\.timestamp)
        #expect(times.count > 3)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == reported * 1_000_000 })
    }

    @Test(
        "of rates that come together the last one is reported",
        arguments: [(20, 2), (40, 4), (100, 5), (100, 10), (30, 1)])
    func together(wanted: Int64, scans: Int) {
        var player = Player([.attitude], every: wanted * 1_000_000)
        player.scansInTurn = scans
        player.play(0..<6)
        let steps = player.samples(of: .attitude).map { Int($0.timestamp.nanoseconds / 10_000_000) }
        #expect(steps.count > 50)
        #expect(steps.allSatisfy { ($0 + 1) % scans == 0 })
        #expect(zip(steps.dropFirst(), steps).allSatisfy { $0 - $1 == Int(wanted) / 10 })
    }

    @Test(
        "a gap of half a second is reported, numbers and heading begin anew, and nothing is reported before the vertical is known"
    )
    func gap() throws {
        var player = Player([.attitude])
        player.play(0..<5)
        let before = try #require(player.samples(of: .attitude).last)
        player.events = []
        player.stream.miss(
            Gap(cause: .deviceOverflow, count: 50, from: before.timestamp, until: before.timestamp + Self.second / 2),
            of: .gyroscope)
        player.play(5.5..<12)
        guard case .gap(let gap) = player.events[0] else { throw Missing() }
        #expect(gap.cause == .deviceOverflow && gap.from == before.timestamp && gap.count == nil)
        #expect(player.events[1] == .opened)
        let after = player.samples(of: .attitude)
        #expect(gap.until == after[0].timestamp + -1 && after[0].sequence == 0)
        #expect(player.worst(.attitude) < 10)
        #expect(player.stream.filter.restarts == 1)
    }

    private struct Missing: Error {}

    @Test("north is reported if the magnetometer is calibrated, and else never", arguments: [false, true])
    func north(isCalibrated: Bool) {
        var player = Player([.attitude, .rotation, .heading], isCalibrated: isCalibrated)
        player.play(0..<30)
        #expect(player.samples(of: .heading).isEmpty == !isCalibrated)
        #expect(player.samples(of: .attitude).count > 2_500)
        if isCalibrated { #expect(player.worst(.rotation, after: 10) < 3) }
    }

    @Test("an accelerometer of its own may come late, and slower")
    func separate() {
        let motion = RigidMotion.hand(pace: Pace(restSeconds: 3, movingSeconds: 4))
        var player = Player([.attitude])
        player.motion = motion
        for step in 0..<2_000 {
            let time = Int64(step) * 10_000_000
            player.stream.take(
                [Player.sample(.angularVelocity, motion.moment(at: Double(time) / 1e9).rate, time)], of: .gyroscope)
            if step % 5 == 4 {
                let measured = time - 30_000_000
                let acceleration = motion.moment(at: Double(measured) / 1e9).acceleration
                player.stream.take([Player.sample(.acceleration, acceleration, measured)], of: .accelerometer)
            }
            player.conclude()
        }
        #expect(player.samples(of: .attitude).count > 1_900)
        #expect(player.worst(.attitude) < 2)
    }

    /// Perfect sensors at rates of their own, whose samples come late by so many steps of 10 ms.
    private static func played(rates: Int = 0, others: Int = 0, inTurnsOf turn: Int = 1) -> Player {
        var player = Player([.attitude, .rotation], isCalibrated: true)
        player.motion = .hand()
        var held = SampleList()
        for step in 0..<4_000 {
            let measured = Int64(step - rates) * 10_000_000
            if measured >= 0 {
                held.append(
                    Player.sample(.angularVelocity, player.motion.moment(at: Double(measured) / 1e9).rate, measured))
            }
            let time = Int64(step - others) * 10_000_000
            if time >= 0, step % 2 == 0 {
                let moment = player.motion.moment(at: Double(time) / 1e9)
                player.stream.take([Player.sample(.acceleration, moment.acceleration, time)], of: .accelerometer)
                player.stream.take([Player.sample(.magneticField, moment.field, time)], of: .magnetometer)
            }
            if step % turn == 0 {
                player.stream.take(held, of: .gyroscope)
                held = []
            }
            player.conclude()
        }
        return player
    }

    @Test("what another device measured may come late: it is seen as the device was then", arguments: [1, 6, 30])
    func late(steps: Int) {
        let player = Self.played(others: steps)
        #expect(player.samples(of: .attitude).count > 3_400 && player.samples(of: .rotation).count > 2_500)
        #expect(player.worst(.attitude, after: 5) < 1.5)
        #expect(player.worst(.rotation, after: 15) < 3)
    }

    @Test("rates may come late, and several at once: the others wait for them, and nothing else does")
    func lateRates() {
        let player = Self.played(rates: 20, inTurnsOf: 15)
        #expect(!player.stream.hasPending)
        #expect(player.samples(of: .attitude).count > 3_400)
        #expect(player.worst(.attitude, after: 5) < 1.5)
        #expect(player.worst(.rotation, after: 15) < 3)
    }

    @Test("after a restart nothing of the former motion is reported, and the bias stays")
    func restart() {
        var player = Player([.attitude, .gyroscopeBias])
        player.play(0..<5)
        let bias = player.stream.filter.bias.value
        player.stream.restart()
        player.events = []
        player.intake.restart()
        player.play(5..<5.5)
        #expect(player.events.allSatisfy { if case .gap = $0 { false } else { $0 != .opened } })
        #expect(player.stream.filter.bias.value == bias || (player.stream.filter.bias.value - bias).length < 1e-3)
    }
}
