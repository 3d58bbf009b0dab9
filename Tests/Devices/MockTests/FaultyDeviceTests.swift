import Devices
import Mock
import Readings
import Testing

/// A device with faults, read as its thread would read it.
@Suite struct FaultyDeviceTests {
    private static let second: Int64 = 1_000_000_000

    /// A device that runs at 10 Hz by default and counts its samples as acceleration along x.
    private struct Bench: ~Copyable {
        let clock = TestClock()
        let start: BootTime
        let board: FaultBoard
        var device: MockDevice
        var intake = Intake()

        init(_ spans: [FaultSpan], script: MockScript? = nil) {
            start = clock.now
            let origin = MockOrigin()
            board = FaultBoard(FaultTimeline(spans), origin: origin)
            let counting = MockScript(
                .acceleration, offeredNanoseconds: [10_000_000, 100_000_000, 1_000_000_000],
                ownNanoseconds: 100_000_000, description: "counts"
            ) { .values(Acceleration(x: Double($0.index), y: 0, z: 0)) }
            device = MockDevice(script ?? counting, board, origin: origin, clock: clock.clock)
        }

        /// Waits as the thread does, until this long after the start.
        mutating func run(until milliseconds: Int64) throws(DeviceFault) {
            let end = start + milliseconds * 1_000_000
            while case .at(let instant) = device.readiness, instant <= end {
                clock.move(to: max(clock.now, instant))
                try device.read(into: &intake)
            }
            clock.move(to: max(clock.now, end))
        }

        /// Asks for an interval; returns the one that the device reports.
        mutating func adjust(to intervalNanoseconds: Int64) throws(DeviceFault) -> Int64? {
            try device.adjust(to: Demand(intervalNanoseconds: intervalNanoseconds), &intake).intervalNanoseconds
        }

        /// Milliseconds since the start.
        var stamps: [Int64] {
            intake.events.apart.compactMap {
                guard case .sample(let sample) = $0 else { return nil }
                return (sample.timestamp - start) / 1_000_000
            }
        }

        var values: [Double] {
            intake.events.apart.compactMap {
                guard case .sample(let sample) = $0, let value = Acceleration(sample.measurement) else {
                    return nil
                }
                return value.x
            }
        }

        var gaps: [Gap] { intake.events.apart.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }

        var reported: [Int64?] {
            intake.events.apart.compactMap {
                if case .profile(let profile) = $0 { profile.intervalNanoseconds } else { nil }
            }
        }

        mutating func open(_ interval: Int64? = nil) throws(DeviceFault) -> Int64? {
            try device.open(Demand(intervalNanoseconds: interval)).intervalNanoseconds
        }
    }

    private static func at(_ milliseconds: Int64, _ fault: Fault, for length: Int64?) -> FaultSpan {
        FaultSpan(fault, from: milliseconds * 1_000_000, nanoseconds: length.map { $0 * 1_000_000 })
    }

    @Test("a stall yields no samples, and afterwards the grid and the values continue unchanged")
    func stall() throws {
        var bench = Bench([Self.at(150, .stall, for: 300)])
        _ = try bench.open()
        try bench.run(until: 700)
        #expect(bench.stamps == [0, 100, 500, 600, 700])
        #expect(bench.values == [0, 1, 5, 6, 7])
        #expect(bench.gaps.isEmpty)
    }

    @Test("an unplugged device is lost at once, missing until the end of the fault, and then available again")
    func unplug() throws {
        var bench = Bench([Self.at(250, .unplug, for: 500)])
        _ = try bench.open()
        let fault = #expect(throws: DeviceFault.self) { try bench.run(until: 1_000) }
        #expect(fault?.kind == .lost)
        #expect(bench.clock.now == bench.start + 250_000_000)
        #expect(bench.stamps == [0, 100, 200])
        bench.device.close()
        bench.clock.move(to: bench.start + 600_000_000)
        #expect(throws: DeviceFault.self) { try bench.open() }
        #expect(throws: DeviceFault.self) { try bench.device.probe() }
        bench.clock.move(to: bench.start + 760_000_000)
        bench.intake.restart()
        _ = try bench.open()
        try bench.run(until: 900)
        // The sample at 700 was never made: the device was not there.
        #expect(bench.stamps == [800, 900])
    }

    @Test("a device that returns before it is read was lost all the same")
    func short() throws {
        var bench = Bench([Self.at(210, .unplug, for: 5)])
        _ = try bench.open()
        try bench.run(until: 200)
        bench.clock.move(to: bench.start + 290_000_000)
        #expect(throws: DeviceFault.self) { try bench.device.read(into: &bench.intake) }
        bench.device.close()
        _ = try bench.open()
        try bench.run(until: 300)
    }

    @Test("lost samples are reported with their count, and skipped in the numbering")
    func overflow() throws {
        var bench = Bench([Self.at(250, .overflow(3), for: nil)])
        _ = try bench.open()
        try bench.run(until: 800)
        #expect(bench.stamps == [0, 100, 200, 600, 700, 800])
        #expect(bench.gaps.compactMap(\.count).reduce(0, +) == 3)
        #expect(bench.gaps.allSatisfy { $0.cause == .deviceOverflow })
        let sequences = bench.intake.events.apart.compactMap {
            if case .sample(let sample) = $0 { sample.sequence } else { nil }
        }
        #expect(sequences == [0, 1, 2, 6, 7, 8])
    }

    @Test("a late device delivers nothing until the end, and then everything")
    func late() throws {
        var bench = Bench([Self.at(150, .late, for: 400)])
        _ = try bench.open()
        try bench.run(until: 540)
        #expect(bench.stamps == [0, 100])
        try bench.run(until: 600)
        #expect(bench.stamps == [0, 100, 200, 300, 400, 500, 600])
    }

    @Test("a device with a wrong rate runs at another rate than it reports, and returns to the right one")
    func lie() throws {
        var bench = Bench([Self.at(150, .lie(nanoseconds: 250_000_000), for: 1_000)])
        #expect(try bench.open() == 100_000_000)
        try bench.run(until: 1_500)
        #expect(bench.stamps == [0, 100, 250, 500, 750, 1_000, 1_200, 1_300, 1_400, 1_500])
        #expect(bench.reported.isEmpty)
    }

    @Test("while rates are refused the device keeps its own, and reports that")
    func refuse() throws {
        var bench = Bench([Self.at(0, .refuse(nanoseconds: 10_000_000), for: 300)])
        #expect(try bench.open() == 100_000_000)
        #expect(try bench.adjust(to: 10_000_000) == 100_000_000)
        try bench.run(until: 310)
        #expect(bench.reported == [10_000_000])
        #expect(bench.stamps == [0, 100, 200, 300, 310])
        var other = Bench([Self.at(0, .refuse(nanoseconds: 100_000_000), for: nil)])
        #expect(try other.open() == 10_000_000)
    }

    @Test("an injected fault counts from then on, and ends on command")
    func onDemand() throws {
        var bench = Bench([])
        _ = try bench.open()
        try bench.run(until: 250)
        #expect(bench.board.take(.begin(.stall, nanoseconds: nil), clock: bench.clock.clock))
        try bench.run(until: 550)
        #expect(bench.board.take(.end(nil), clock: bench.clock.clock))
        #expect(!bench.board.take(.end(nil), clock: bench.clock.clock))
        try bench.run(until: 600)
        #expect(bench.stamps == [0, 100, 200, 600])
    }

    private static func location(_ faults: [Fault], satellites: Int = 12) throws -> Location {
        let script = MockScript(
            .location, offeredNanoseconds: [second], ownNanoseconds: second, description: "stands"
        ) { instant in
            var location = Location(fix: .threeDimensional)
            location.latitudeDegrees = 52
            location.longitudeDegrees = 13
            location.altitudeMeters = 40
            location.satellitesUsed = satellites
            location.utcMicroseconds = instant.utcNanoseconds / 1_000
            return .location(location)
        }
        var bench = Bench(faults.map { at(0, $0, for: nil) }, script: script)
        _ = try bench.open()
        try bench.run(until: 0)
        guard case .sample(let sample) = bench.intake.events.apart.first,
            case .location(let location) = sample.measurement
        else { throw DeviceFault(.failed, "no location") }
        return location
    }

    @Test("a receiver can lose its fix, satellites, position and time")
    func receiver() throws {
        let utc = TestClock.startRealtime / 1_000
        let lost = try Self.location([.noFix])
        #expect(lost.fix == .noPosition)
        #expect(lost.latitudeDegrees == nil)
        #expect(lost.utcMicroseconds == utc)
        #expect(try Self.location([.satellites(2)]).fix == .noPosition)
        let flat = try Self.location([.satellites(3)])
        #expect(flat.fix == .twoDimensional)
        #expect(flat.altitudeMeters == nil)
        #expect(flat.latitudeDegrees == 52)
        #expect(try Self.location([.satellites(5)]).satellitesUsed == 5)
        #expect(try Self.location([.utcBack(nanoseconds: 3 * Self.second)]).utcMicroseconds == utc - 3_000_000)
        #expect(try Self.location([.weekRollover]).utcMicroseconds == utc - 619_315_200_000_000)
        let north = try Self.location([.jump(meters: 2_000, degrees: 0)])
        // A degree of latitude is 111,267 m long there.
        #expect(abs((north.latitudeDegrees ?? 0) - 52 - 2_000 / 111_267) < 1e-5)
        #expect(north.longitudeDegrees == 13)
        let east = try Self.location([.jump(meters: 2_000, degrees: 90)])
        #expect(abs((east.longitudeDegrees ?? 0) - 13 - 2_000 / 68_678) < 1e-4)
        let both = try Self.location([.jump(meters: 100, degrees: 0), .noFix])
        #expect(both.fix == .noPosition)
    }

    @Test("a receiver that loses satellites has them in its list and its dilutions")
    func lostSatellites() throws {
        func location(_ faults: [Fault]) throws -> Location {
            var bench = Bench(faults.map { Self.at(0, $0, for: nil) }, script: .driving(seed: 3))
            _ = try bench.open()
            try bench.run(until: 0)
            guard case .sample(let sample) = bench.intake.events.apart.first,
                case .location(let location) = sample.measurement
            else { throw DeviceFault(.failed, "no location") }
            return location
        }
        let whole = try location([])
        for count in [8, 6, 5, 4, 3, 1, 0] {
            let fewer = try location([.satellites(count)])
            #expect(fewer.satellitesUsed == count && fewer.satellites?.count(where: \.isUsed) == count)
            #expect(fewer.satellites?.count == fewer.satellitesVisible)
            #expect((fewer.horizontalDilution == nil) == (count < 4))
            if count == 4 { #expect((fewer.positionDilution ?? 0) > (whole.positionDilution ?? 99)) }
        }
        let lost = try location([.noFix])
        #expect(lost.satellites?.count(where: \.isUsed) == 2 && lost.horizontalDilution == nil)
    }

    @Test("the script begins with the first device that is used, and all devices share it")
    func origin() throws {
        let clock = TestClock()
        let origin = MockOrigin()
        let script = MockScript(
            .acceleration, offeredNanoseconds: [Self.second], ownNanoseconds: Self.second, description: "tells its time"
        ) { .values(Acceleration(x: Double($0.elapsedNanoseconds) / 1e9, y: 0, z: 0)) }
        var first = MockDevice(script, FaultBoard(origin: origin), origin: origin, clock: clock.clock)
        var second = MockDevice(script, FaultBoard(origin: origin), origin: origin, clock: clock.clock)
        clock.pass(nanoseconds: 12_345)
        _ = try first.probe()
        #expect(origin.instant == nil)
        _ = try first.open(Demand(intervalNanoseconds: nil))
        #expect(origin.instant?.boot == clock.now)
        clock.pass(nanoseconds: 5 * Self.second / 2)
        _ = try second.open(Demand(intervalNanoseconds: nil))
        var intake = Intake()
        try second.read(into: &intake)
        guard case .sample(let sample) = intake.events.apart.first, let value = Acceleration(sample.measurement) else {
            Issue.record("no sample at once")
            return
        }
        #expect(value.x == 2)
        #expect(sample.timestamp - clock.now == -Self.second / 2)
        // Opened again before its next tick, it does not measure the last one twice.
        second.close()
        _ = try second.open(Demand(intervalNanoseconds: nil))
        intake.restart()
        try second.read(into: &intake)
        #expect(intake.events.apart.isEmpty)
    }
}
