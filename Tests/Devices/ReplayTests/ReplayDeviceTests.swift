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

    private static let over = "the recording has ended; it starts again when all clients have left"

    @Test("replays values at their times with their numbers, and is unavailable at the end")
    func plays() {
        let hand = Hand()
        let track = Self.track([0, 10, 20, 50])
        var device = Self.device(track, hand)
        let profile = device.open(Demand(intervalNanoseconds: 1))
        #expect(profile.simulated && profile.intervalNanoseconds == 10)
        var intake = Intake()
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_000)))
        hand.set(5_020)
        device.read(into: &intake)
        #expect(intake.events.prefix(2) == [.state(.starting), .state(.active)])
        #expect(Self.stamps(intake) == [5_000, 5_010, 5_020] && Self.numbers(intake) == [7, 8, 9])
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_050)))
        hand.set(5_060)
        device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000, 5_010, 5_020, 5_050])
        #expect(intake.events.suffix(2) == [.state(.unavailable(reason: Self.over)), .failed(reason: Self.over)])
        #expect(device.readiness == .at(BootTime(nanoseconds: .max)))
        device.close()
        intake.restart()
        _ = device.open(Demand(intervalNanoseconds: 1))
        device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_060])
    }

    @Test("repeats without losing its rhythm, and reports that it begins again")
    func round() {
        let (hand, step): (Hand, Int64) = (Hand(), 1_000_000)
        let track = Self.track([0, step, 2 * step])
        let timeline = ReplayTimeline(of: Recording(tracks: [track]), goesRound: true)
        var device = ReplayDevice(track, on: timeline) { hand.now }
        _ = device.open(Demand(intervalNanoseconds: 1))
        var intake = Intake()
        for number in 0...Int64(7) {
            hand.set(5_000 + number * step)
            device.read(into: &intake)
        }
        #expect(Self.stamps(intake) == (0...7).map { 5_000 + $0 * step })
        #expect(Self.numbers(intake) == [7, 8, 9, 7, 8, 9, 7, 8])
        #expect(intake.events.count { $0 == .opened } == 2)
        // A client that comes in the second round is in the second round.
        var other = ReplayDevice(track, on: timeline) { hand.now }
        hand.set(5_000 + 100 * step)
        _ = other.open(Demand(intervalNanoseconds: 1))
        intake.restart()
        other.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000 + 99 * step, 5_000 + 100 * step])
    }

    @Test(
        "after the host has slept goes on where it would be, without all that was missed, which it plays if it is late",
        arguments: [(1_000_000_000, [0, 1, 2, 30, 31]), (1_000_000, Array(0...31))] as [(Int64, [Int64])])
    func slept(step: Int64, played: [Int64]) {
        let hand = Hand()
        var device = Self.device(Self.track([0, step, 2 * step]), hand, goesRound: true)
        _ = device.open(Demand(intervalNanoseconds: 1))
        var intake = Intake()
        device.read(into: &intake)
        hand.set(5_000 + 31 * step)
        while case .at(let due) = device.readiness, due <= hand.now { device.read(into: &intake) }
        #expect(Self.stamps(intake) == played.map { 5_000 + $0 * step })
    }

    @Test("delivers a batch at the time of its last sample")
    func batches() {
        let hand = Hand()
        var device = Self.device(Self.track([0, 10, 20, 30, 40]), hand)
        _ = device.open(Demand(intervalNanoseconds: 10, latencyNanoseconds: 20))
        var intake = Intake()
        device.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000])
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_030)))
    }

    @Test("stays in step with the other tracks, and one that is opened later joins at their position")
    func together() {
        let hand = Hand()
        let second: Int64 = 1_000_000_000
        let tracks = [Self.track([0, 9 * second]), Self.track([second, 5 * second, 9 * second])]
        let timeline = ReplayTimeline(of: Recording(tracks: tracks), goesRound: false)
        var first = ReplayDevice(tracks[0], on: timeline) { hand.now }
        var other = ReplayDevice(tracks[1], on: timeline) { hand.now }
        _ = first.open(Demand(intervalNanoseconds: 1))
        hand.set(5_000 + 4 * second)
        _ = other.open(Demand(intervalNanoseconds: 1))
        var intake = Intake()
        other.read(into: &intake)
        #expect(intake.events == [.state(.active)])
        hand.set(5_000 + 5 * second)
        other.read(into: &intake)
        #expect(Self.stamps(intake) == [5_000 + 5 * second] && Self.numbers(intake) == [8])
        first.close()
        other.close()
        _ = other.open(Demand(intervalNanoseconds: 1))
        #expect(other.readiness == .at(BootTime(nanoseconds: 5_000 + 5 * second)))
    }

    @Test("that begins later than the others is starting until then, however long that is")
    func later() {
        let hand = Hand()
        let tracks = [Self.track([0]), Self.track([9_000_000_000])]
        var device = ReplayDevice(tracks[1], on: ReplayTimeline(of: Recording(tracks: tracks), goesRound: false)) {
            hand.now
        }
        _ = device.open(Demand(intervalNanoseconds: 1))
        #expect(device.readiness == .at(BootTime(nanoseconds: 5_000)))
        var intake = Intake()
        device.read(into: &intake)
        #expect(intake.events == [.state(.starting)])
        #expect(device.readiness == .at(BootTime(nanoseconds: 9_000_005_000)))
    }

    @Test("of one sample has no rate")
    func single() {
        var device = Self.device(Self.track([0]), Hand())
        #expect(device.probe().intervalNanoseconds == nil)
    }

    private static func device(_ track: RecordedTrack, _ hand: Hand, goesRound: Bool = false) -> ReplayDevice {
        ReplayDevice(track, on: ReplayTimeline(of: Recording(tracks: [track]), goesRound: goesRound)) { hand.now }
    }

    private static func track(_ offsets: [Int64]) -> RecordedTrack {
        var track = RecordedTrack(name: .location, kind: .location)
        track.events = offsets.enumerated().map { index, offset in
            RecordedEvent(offset, .sample(sequence: 7 + UInt64(index), .location(Location(fix: .noPosition))))
        }
        track.events.insert(RecordedEvent(offsets[0], .state(.active)), at: 0)
        track.sampleCount = offsets.count
        return track
    }

    private static func numbers(_ intake: Intake) -> [UInt64] {
        intake.events.compactMap { if case .sample(let sample) = $0 { sample.sequence } else { nil } }
    }

    private static func stamps(_ intake: Intake) -> [Int64] {
        intake.events.compactMap { if case .sample(let sample) = $0 { sample.timestamp.nanoseconds } else { nil } }
    }
}
