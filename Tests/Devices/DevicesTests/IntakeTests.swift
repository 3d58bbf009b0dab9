import Devices
import Readings
import Testing

/// What the intake accepts, and what it refuses.
struct IntakeTests {
    private var intake = Intake()

    private func instant(_ number: Int64) -> BootTime { BootTime(nanoseconds: number) }

    private var samples: [Sample] {
        intake.events.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    private var gaps: [Gap] { intake.events.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }

    @Test(
        "an impossible acceleration is a missing sample, which is reported",
        arguments: [1e7, -1e7, 100_000.1, .infinity, -.infinity, .nan])
    mutating func impossibleAcceleration(value: Double) {
        for (number, axis) in [0.0, value, value, 1].enumerated() {
            intake.append(.values(Acceleration(x: 0, y: axis, z: 0)), at: instant(Int64(number + 1)))
        }
        #expect(samples.map(\.sequence) == [0, 3])
        #expect(gaps == [Gap(cause: .deviceLost, count: 2, from: instant(2), until: instant(3))])
        #expect(intake.refusedValues == 2)
    }

    @Test("what a restarted device lost lasts until its next sample, of each kind that it had and has")
    mutating func interruption() {
        let missing: (Kind, Int64, Int64) -> DeviceEvent = { [self] kind, from, until in
            .missing(
                Gap(cause: .reconfigured, count: nil, from: instant(from), until: instant(until)),
                of: Quantity(kind))
        }
        let scan: [Measurement] = [.values(Acceleration(x: 0, y: 0, z: 0)), .values(AngularVelocity(x: 0, y: 0, z: 0))]
        intake.append(scan: scan, at: instant(10))
        intake.interrupt([.acceleration, .illuminance], since: instant(11))
        #expect(intake.events.count == 2)
        intake.removeAll()
        // Restarted again: illuminance is no longer wanted, and the gyroscope was not missing before.
        intake.interrupt([.acceleration, .angularVelocity], since: instant(20))
        #expect(intake.events.isEmpty)
        intake.append(scan: scan, at: instant(50))
        intake.append(scan: scan, at: instant(60))
        #expect(samples.map(\.sequence) == [1, 1, 2, 2])
        #expect(intake.events.prefix(2) == [missing(.acceleration, 11, 49), missing(.angularVelocity, 20, 49)])

        intake.restart()
        intake.interrupt([.acceleration], since: instant(70))
        intake.append(Gap(cause: .deviceOverflow, count: 3, from: instant(75), until: instant(80)))
        #expect(intake.events.first == missing(.acceleration, 70, 74))
        intake.interrupt([.acceleration], since: instant(90))
        intake.restart()
        intake.append(scan: scan, at: instant(100))
        #expect(intake.events.count == 2)
    }

    @Test("a run comes to the same as its samples, whatever comes before and is in it", arguments: [0.0, .nan, 1e7])
    func runs(value: Double) {
        var (together, apart) = (Intake(), Intake())
        func both(_ act: (inout Intake) -> Void) {
            act(&together)
            act(&apart)
        }
        for length: Int64 in [0, 1, 2, 50] {
            var run = SampleRun(of: .acceleration)
            for number in 0..<length {
                let values = Values(.acceleration, [0, number == 20 ? value : 1, 9.8, 0])
                run.append(values, at: instant(1_000 * length + number))
            }
            both { $0.interrupt([.acceleration], since: instant(1_000 * length - 5)) }
            together.append(run)
            for sample in run.samples { apart.append(sample.measurement, at: sample.timestamp) }
            both { $0.append(Gap(cause: .deviceOverflow, count: 3, from: instant(90_000), until: instant(90_003))) }
        }
        #expect(together.events.apart == apart.events)
        #expect(together.nextSequence == apart.nextSequence && together.refusedValues == apart.refusedValues)
        #expect(
            together.events.contains { if case .run(let run) = $0 { run.count == 50 } else { false } } == (value == 0))
    }

    @Test("an acceleration at the limit of the range is accepted")
    mutating func largestAcceleration() {
        intake.append(.values(Acceleration(x: 100_000, y: -100_000, z: 0)), at: instant(1))
        #expect(samples.count == 1 && gaps.isEmpty && intake.refusedValues == 0)
    }

    private mutating func entered(_ change: (inout Location) -> Void) throws -> Location {
        var location = Location(fix: .threeDimensional)
        (location.latitudeDegrees, location.longitudeDegrees) = (50, 10)
        change(&location)
        intake.append(.location(location), at: instant(1))
        guard case .location(let entered)? = samples.last?.measurement else { throw CancellationError() }
        return entered
    }

    @Test("impossible values of a location are unknown, and counted")
    mutating func impossibleValues() throws {
        let location = try entered {
            $0.altitudeMeters = 1e6
            $0.trackDegrees = 361
            $0.speedMetersPerSecond = -1
            $0.horizontalDilution = .infinity
            $0.timeErrorSeconds = 1e9
            $0.leapSeconds = 0
            $0.satellitesUsed = -1
            $0.climbMetersPerSecond = 3
        }
        var possible = Location(fix: .threeDimensional)
        (possible.latitudeDegrees, possible.longitudeDegrees, possible.climbMetersPerSecond) = (50, 10, 3)
        #expect(location == possible)
        #expect(intake.refusedValues == 7)
    }

    @Test("an impossible position, or half of one, is no position")
    mutating func impossiblePosition() throws {
        for change: (inout Location) -> Void in [
            { $0.latitudeDegrees = 90.1 }, { $0.longitudeDegrees = -180.1 }, { $0.latitudeDegrees = nil },
        ] {
            let location = try entered(change)
            #expect(location.fix == .noPosition && location.latitudeDegrees == nil && location.longitudeDegrees == nil)
        }
        #expect(intake.refusedValues == 3)
    }

    @Test("a satellite has a number of the interface, and no impossible angle or signal")
    mutating func satellites() throws {
        let location = try entered { location in
            location.satellites = [0, 1, 437, 438, 32_767].map { Satellite(prn: $0, isUsed: true) }
            location.satellites?[1].elevationDegrees = 91
            location.satellites?[1].azimuthDegrees = 359
            location.satellites?[2].signalDecibelHertz = 1000
        }
        var first = Satellite(prn: 1, isUsed: true)
        first.azimuthDegrees = 359
        #expect(location.satellites == [first, Satellite(prn: 437, isUsed: true)])
        #expect(intake.refusedValues == 5)
    }

    private func scan(_ first: Double, _ second: Double) -> [Measurement] {
        [.values(Acceleration(x: first, y: 0, z: 0)), .values(AngularVelocity(x: second, y: 0, z: 0))]
    }

    private var missing: [(gap: Gap, kind: Kind)] {
        intake.events.compactMap { if case .missing(let gap, let quantity) = $0 { (gap, quantity.kind) } else { nil } }
    }

    @Test("of a scan of two inputs of a kind, each has gaps of its own")
    mutating func inputs() {
        func volts(_ value: Double, _ input: UInt8) -> Measurement {
            .values(Values(.voltage, [value, 0, 0, 0], input: input))
        }
        intake.append(scan: [volts(1, 0), volts(.nan, 1)], at: instant(1))
        intake.append(scan: [volts(2, 0), volts(.nan, 1)], at: instant(2))
        intake.append(scan: [volts(3, 0), volts(4, 1)], at: instant(3))
        let second = Quantity(.voltage, input: 1)
        #expect(
            samples.map(\.measurement.quantity) == [Quantity(.voltage), Quantity(.voltage), Quantity(.voltage), second])
        let gap = Gap(cause: .deviceLost, count: 2, from: instant(1), until: instant(2))
        #expect(intake.events.contains(.missing(gap, of: second)) && missing.count == 1)
        intake.removeAll()
        intake.interrupt(KindSet(of: [second]), since: instant(4))
        intake.append(volts(5, 1), at: instant(9))
        #expect(
            intake.events.first
                == .missing(Gap(cause: .reconfigured, count: nil, from: instant(4), until: instant(8)), of: second))
    }

    @Test("the measurements of a scan share its number, and the next scan has the next number")
    mutating func scans() {
        intake.append(scan: scan(1, 2), at: instant(1))
        intake.append(scan: scan(3, 4), at: instant(2))
        #expect(samples.map(\.sequence) == [0, 0, 1, 1] && intake.nextSequence == 2)
        #expect(samples.map(\.timestamp) == [1, 1, 2, 2].map(instant))
        #expect(samples.map(\.measurement) == scan(1, 2) + scan(3, 4))
    }

    @Test("an impossible value of one kind is missing only for that kind")
    mutating func impossibleInScan() throws {
        for (number, turn) in [1, .nan, .infinity, 2, .nan].enumerated() {
            intake.append(scan: scan(0, turn), at: instant(Int64(number)))
        }
        #expect(samples.filter { $0.measurement.kind == .acceleration }.map(\.sequence) == [0, 1, 2, 3, 4])
        #expect(samples.filter { $0.measurement.kind == .angularVelocity }.map(\.sequence) == [0, 3])
        #expect(missing.allSatisfy { $0.kind == .angularVelocity } && gaps.isEmpty)
        #expect(
            missing.map(\.gap) == [
                Gap(cause: .deviceLost, count: 2, from: instant(1), until: instant(2)),
                Gap(cause: .deviceLost, count: 1, from: instant(4), until: instant(4)),
            ])
        #expect(intake.refusedValues == 3)
        intake.removeAll()
        intake.append(scan: scan(0, .nan), at: instant(5))
        #expect(missing.map(\.gap.count) == [1] && samples.map(\.sequence) == [5], "what was sent does not grow")
    }

    @Test("a scan with only impossible values is a missing sample of all kinds")
    mutating func impossibleScan() {
        intake.append(scan: scan(0, 0), at: instant(0))
        for number in 1...2 { intake.append(scan: scan(.nan, .infinity), at: instant(Int64(number))) }
        #expect(missing.isEmpty && intake.refusedValues == 4 && intake.nextSequence == 3)
        #expect(gaps == [Gap(cause: .deviceLost, count: 2, from: instant(1), until: instant(2))])
    }
}
