import Devices
import Mock
import Readings
import Testing

/// A simulated device that measures two kinds.
@Suite struct MockScanTests {
    private let clock = TestClock()
    private let board: FaultBoard
    private let origin = MockOrigin()
    private var intake = Intake()

    init() { board = FaultBoard(origin: origin) }

    private func device() -> MockDevice {
        let turning = MockScript(
            .angularVelocity, offeredNanoseconds: [1_000_000], ownNanoseconds: 1_000_000, description: "turns"
        ) { .values(AngularVelocity(x: Double($0.index), y: 0, z: 0)) }
        let counting = MockScript(
            .acceleration, offeredNanoseconds: [10_000_000], ownNanoseconds: 10_000_000, description: "counts"
        ) { .values(Acceleration(x: Double($0.index), y: 0, z: 0)) }
        return MockDevice(counting, further: [turning], board, origin: origin, clock: clock.clock)
    }

    /// `acceleration 3` for each sample, by the numbers of their scans.
    private mutating func taken(_ device: inout MockDevice, milliseconds: Int64) throws -> [UInt64: [String]] {
        clock.move(to: clock.now + milliseconds * 1_000_000)
        try device.read(into: &intake)
        defer { intake.removeAll() }
        var taken: [UInt64: [String]] = [:]
        for case .sample(let sample) in intake.events.apart {
            guard case .values(let values) = sample.measurement else { continue }
            taken[sample.sequence, default: []].append("\(values.kind.wire) \(Int(values[0]))")
        }
        return taken
    }

    private func demand(_ kinds: KindSet) -> Demand { Demand(intervalNanoseconds: 10_000_000, kinds: kinds) }

    @Test("the requested kinds are measured together, at the rate of the first one, and a change loses no sample")
    mutating func wanted() throws {
        var device = device()
        #expect(try device.open(demand([.acceleration])).kinds == [.acceleration, .angularVelocity])
        #expect(try taken(&device, milliseconds: 15) == [0: ["acceleration 0"], 1: ["acceleration 1"]])
        _ = try device.adjust(to: demand(.all), &intake)
        #expect(try taken(&device, milliseconds: 10) == [2: ["acceleration 2", "angularVelocity 2"]])
        _ = try device.adjust(to: demand([.angularVelocity]), &intake)
        #expect(try taken(&device, milliseconds: 10) == [3: ["angularVelocity 3"]])
        let fault = #expect(throws: DeviceFault.self) { _ = try device.adjust(to: demand([.location]), &intake) }
        #expect(fault?.kind == .missing)
    }

    @Test("a device that is adjusted keeps nothing of what it was before")
    mutating func released() throws {
        final class Held: Sendable {}
        weak var former: Held?
        do {
            let held = Held()
            former = held
            let script = MockScript(
                .acceleration, offeredNanoseconds: [1_000_000], ownNanoseconds: 1_000_000, description: "holds"
            ) { _ in withExtendedLifetime(held) { .values(Acceleration(x: 0, y: 0, z: 0)) } }
            var device = MockDevice(script, board, origin: origin, clock: clock.clock)
            _ = try device.open(demand([.acceleration]))
            _ = try device.adjust(to: demand([.acceleration]), &intake)
        }
        #expect(former == nil)
    }

    @Test("a late device whose kind changes meanwhile delivers each sample as what it is")
    mutating func late() throws {
        var device = device()
        _ = try device.open(demand([.acceleration]))
        _ = board.take(.begin(.late, nanoseconds: 30_000_000), clock: clock.clock)
        #expect(try taken(&device, milliseconds: 15).isEmpty)
        _ = try device.adjust(to: demand([.angularVelocity]), &intake)
        let expected = ["acceleration 0", "acceleration 1", "angularVelocity 2", "angularVelocity 3"]
        let taken = try taken(&device, milliseconds: 20)
        #expect(taken.sorted { $0.key < $1.key }.flatMap(\.value) == expected)
    }

    @Test("losses affect both kinds, and so does the loss of the device")
    mutating func faults() throws {
        var device = device()
        _ = try device.open(demand(.all))
        clock.move(to: clock.now + 1)
        _ = board.take(.begin(.overflow(2), nanoseconds: nil), clock: clock.clock)
        clock.move(to: clock.now + 35_000_000)
        try device.read(into: &intake)
        #expect(intake.events.apart.contains { if case .gap(let gap) = $0 { gap.count == 2 } else { false } })
        let numbers = intake.events.apart.compactMap {
            if case .sample(let sample) = $0 { sample.sequence } else { nil }
        }
        #expect(Set(numbers).allSatisfy { number in numbers.count { $0 == number } == 2 })
        clock.move(to: clock.now + 1)
        _ = board.take(.begin(.unplug, nanoseconds: nil), clock: clock.clock)
        #expect(throws: DeviceFault.self) { try device.read(into: &intake) }
    }
}
