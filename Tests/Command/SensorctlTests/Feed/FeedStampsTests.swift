import Formats
import Platform
import Readings
import Testing

@testable import sensorctl

/// When a feed's samples were measured.
@Suite struct FeedStampsTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000
    private static let bootUTC: Int64 = 1_790_000_000_000_000_000

    private static func now(_ seconds: Double) -> ClockPair {
        let boot = Int64(seconds * 1e9)
        return ClockPair(bootNanoseconds: boot, utcNanoseconds: bootUTC + boot)
    }

    private static func sample(_ time: LineTime? = nil) -> LineSample {
        LineSample(time: time, measurement: .values(Values(.acceleration, .zero)))
    }

    private static func stamps(_ results: [Result<FedSample, FormatError>]) -> [Int64?] {
        results.map { try? $0.get().timestampNanoseconds }
    }

    @Test("a line without a time was measured when it was read; of several at once, the last one")
    func reads() {
        var stamps = FeedStamps(stepNanoseconds: nil)
        #expect(Self.stamps(stamps.stamp([Self.sample()], Self.now(10))) == [10 * Self.second])
        // Over the time since the last read.
        let three = stamps.stamp(Array(repeating: Self.sample(), count: 3), Self.now(10.03))
        #expect(Self.stamps(three) == [10_010, 10_020, 10_030].map { $0 * Self.millisecond })
        // But no further than a tenth of a second each.
        let late = stamps.stamp(Array(repeating: Self.sample(), count: 2), Self.now(20))
        #expect(Self.stamps(late) == [19_900, 20_000].map { $0 * Self.millisecond })
        // A buffer that was full when they began to be wanted.
        stamps.pass(Self.now(30))
        let two = stamps.stamp(Array(repeating: Self.sample(), count: 2), Self.now(30))
        #expect(Self.stamps(two) == [30 * Self.second - 1, 30 * Self.second])
    }

    @Test("a nominal rate sets them apart, as far as there was time for it")
    func rate() {
        var stamps = FeedStamps(stepNanoseconds: 10 * Self.millisecond)
        stamps.pass(Self.now(9))
        let three = stamps.stamp(Array(repeating: Self.sample(), count: 3), Self.now(10))
        #expect(Self.stamps(three) == [9_980, 9_990, 10_000].map { $0 * Self.millisecond })
        let four = stamps.stamp(Array(repeating: Self.sample(), count: 4), Self.now(10.02))
        #expect(Self.stamps(four) == [10_005, 10_010, 10_015, 10_020].map { $0 * Self.millisecond })
    }

    @Test("times of this host are kept, if they can be true")
    func boot() {
        var stamps = FeedStamps(stepNanoseconds: nil)
        let times: [Int64] = [5, 6, 6, 4, 7, 11, -1, 10].map { $0 * Self.second }
        let results = stamps.stamp(times.map { Self.sample(.boot($0)) }, Self.now(10))
        let kept: [Int64?] = [5, 6, nil, nil, 7, nil, nil, 10]
        #expect(Self.stamps(results).map { $0.map { $0 / Self.second } } == kept)
        let faults = results.compactMap { if case .failure(let error) = $0 { error.words } else { nil } }
        #expect(faults[0].contains("not later") && faults[2].contains("future") && faults[3].contains("started"))
    }

    @Test("UTC becomes boot time; a sender's clock may be a little ahead")
    func utc() {
        var stamps = FeedStamps(stepNanoseconds: nil)
        func time(_ seconds: Double) -> LineSample { Self.sample(.utc(Self.bootUTC / 1_000 + Int64(seconds * 1e6))) }
        #expect(Self.stamps(stamps.stamp([time(8.25)], Self.now(10))) == [8_250 * Self.millisecond])
        #expect(Self.stamps(stamps.stamp([time(10.5)], Self.now(10))) == [10 * Self.second])
        #expect(Self.stamps(stamps.stamp([time(20), time(-5)], Self.now(11))) == [nil, nil])
        #expect(
            Self.stamps(stamps.stamp([Self.sample(.utc(.min)), Self.sample(.utc(.max))], Self.now(12))) == [nil, nil])
        // A receiver without the right date still measures now. Whoever sends old positions learns that they are stamped
        // as new.
        #expect(!stamps.hasForeignTimes)
        let fix = LineSample(time: .utc(0), measurement: .location(Location(fix: .noPosition)))
        #expect(Self.stamps(stamps.stamp([fix], Self.now(13))) == [13 * Self.second])
        #expect(stamps.hasForeignTimes)
    }

    @Test("a time of another clock is none, which is known")
    func foreign() {
        var stamps = FeedStamps(stepNanoseconds: nil)
        #expect(!stamps.hasForeignTimes)
        #expect(Self.stamps(stamps.stamp([Self.sample(.foreign)], Self.now(10))) == [10 * Self.second])
        #expect(stamps.hasForeignTimes)
    }
}
