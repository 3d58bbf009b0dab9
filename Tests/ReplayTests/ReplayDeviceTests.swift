import Devices
import Platform
import Readings
import Testing

@testable import Replay

@Suite("A replayed device") struct ReplayDeviceTests {
    /// A clock that a test sets.
    private final class Hand: Sendable {
        private let nanoseconds = Locked<Int64>(5_000)
        func set(_ value: Int64) { nanoseconds.withLock { $0 = value } }
        var now: BootTime { BootTime(nanoseconds: nanoseconds.withLock { $0 }) }
    }

    @Test("measures what was recorded when it was, and is lost at the end, to begin again")
    func plays() throws {
        let hand = Hand()
        var device = ReplayDevice(Self.track([0, 10, 20, 50])) { hand.now }
        let profile = device.open(Demand(intervalNanoseconds: 1))
        #expect(profile.simulated && profile.intervalNanoseconds == 10)
        var intake = Intake()
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_000)))
        hand.set(5_020)
        try device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000, 5_010, 5_020])
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_050)))
        hand.set(5_060)
        try device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000, 5_010, 5_020, 5_050])
        let fault = #expect(throws: DeviceFault.self) { try device.read(into: &intake) }
        #expect(fault?.kind == .lost)
        device.close()
        intake.restart()
        _ = device.open(Demand(intervalNanoseconds: 1))
        try device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_060])
    }

    @Test("of one sample has no pace")
    func single() {
        var device = ReplayDevice(Self.track([0]))
        #expect(device.probe().intervalNanoseconds == nil)
    }

    private static func track(_ offsets: [Int64]) -> Recording.Track {
        let samples = offsets.map { (offsetNanoseconds: $0, measurement: Measurement.location(Location(fix: .none))) }
        return Recording.Track(name: .location, kind: .location, samples: samples)
    }

    private static func stamps(_ intake: Intake) -> [Int64] {
        intake.events.compactMap { if case .sample(let sample) = $0 { sample.timestamp.nanoseconds } else { nil } }
    }
}
