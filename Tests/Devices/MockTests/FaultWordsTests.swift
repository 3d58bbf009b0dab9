import Mock
import Readings
import Testing

@Suite struct FaultWordsTests {
    private static func read(_ text: String) throws(FaultRefusal) -> FaultWords {
        try FaultWords(text.split(separator: " ").map(String.init))
    }

    @Test(
        "words name the fault, the device and the duration",
        arguments: [
            ("unplug accelerometer for 5s", .begin(.unplug, nanoseconds: 5_000_000_000), "accelerometer"),
            ("unplug accelerometer:1", .begin(.unplug, nanoseconds: nil), "accelerometer:1"),
            ("stall location for 1min 30s", .begin(.stall, nanoseconds: 90_000_000_000), "location"),
            ("stall for infinity", .begin(.stall, nanoseconds: nil), nil),
            ("late accelerometer for 250ms", .begin(.late, nanoseconds: 250_000_000), "accelerometer"),
            ("drop 20 of accelerometer", .begin(.overflow(20), nanoseconds: nil), "accelerometer"),
            ("overflow accelerometer 7", .begin(.overflow(7), nanoseconds: nil), "accelerometer"),
            ("lie accelerometer 50Hz", .begin(.lie(nanoseconds: 20_000_000), nanoseconds: nil), "accelerometer"),
            ("refuse 1kHz", .begin(.refuse(nanoseconds: 1_000_000), nanoseconds: nil), nil),
            ("refuse accelerometer 10ms", .begin(.refuse(nanoseconds: 10_000_000), nanoseconds: nil), "accelerometer"),
            ("refuse", .begin(.refuse(nanoseconds: nil), nanoseconds: nil), nil),
            ("no-fix for 10s", .begin(.noFix, nanoseconds: 10_000_000_000), nil),
            ("satellites 3", .begin(.satellites(3), nanoseconds: nil), nil),
            ("jump 2km", .begin(.jump(meters: 2_000, degrees: 0), nanoseconds: nil), nil),
            ("jump 50m southwest for 1s", .begin(.jump(meters: 50, degrees: 225), nanoseconds: 1_000_000_000), nil),
            ("jump location 1.5km 90deg", .begin(.jump(meters: 1_500, degrees: 90), nanoseconds: nil), "location"),
            ("utc-back 3s", .begin(.utcBack(nanoseconds: 3_000_000_000), nanoseconds: nil), nil),
            ("utc-back 0.5", .begin(.utcBack(nanoseconds: 500_000_000), nanoseconds: nil), nil),
            ("stall for 2 hours", .begin(.stall, nanoseconds: 7_200_000_000_000), nil),
            ("lie 10 msec for 3", .begin(.lie(nanoseconds: 10_000_000), nanoseconds: 3_000_000_000), nil),
            ("week-rollover", .begin(.weekRollover, nanoseconds: nil), nil),
            ("gpsd-restart", .begin(.gpsdRestart, nanoseconds: nil), nil),
            (
                "jump 2 km 90 deg for 1 min 30 s",
                .begin(.jump(meters: 2_000, degrees: 90), nanoseconds: 90_000_000_000), nil
            ),
            ("lie accelerometer 50 Hz", .begin(.lie(nanoseconds: 20_000_000), nanoseconds: nil), "accelerometer"),
            ("replug accelerometer", .end(.unplug), "accelerometer"),
            ("clear", .end(nil), nil),
        ] as [(String, FaultOrder, String?)])
    func reads(text: String, order: FaultOrder, resource: String?) throws {
        let words = try Self.read(text)
        #expect(words.order == order)
        #expect(words.resource?.description == resource)
    }

    @Test("each order is written and read back unchanged", arguments: FaultKind.allCases)
    func roundTrip(kind: FaultKind) throws {
        let words = try Self.read(FaultWords.example(kind.rawValue))
        #expect(try Self.read("\(words)") == words)
    }

    @Test(
        "invalid words are refused with a remedy",
        arguments: [
            ("", "which fault?"), ("unplg accelerometer", "did you mean unplug?"),
            ("explode", "write one of unplug"), ("jump", "jump needs a distance"), ("jump 2miles", "jump 2km north"),
            ("jump 2", "jump 2km north"), ("jump 30000km", "up to 20000km"), ("jump 2km 3km", "one too many"),
            ("drop 0", "1 to 1000000"), ("drop 1.5", "does not fit"), ("satellites 65", "0 to 64"),
            ("lie accelerometer", "needs a rate"), ("lie 0Hz", "'0Hz' does not fit"),
            ("late accelerometer", "late for 2s"),
            ("unplug for", "not a time span"), ("unplug for 0", "needs a duration above 0"),
            ("unplug for ever", "not a time span"), ("drop 5 for 3s", "leave out 'for'"),
            ("unplug accelerometer location", "one device"), ("unplug 5", "does not fit unplug"),
            ("replug for 5s", "nothing else"), ("lie 50", "does not fit"), ("refuse 1ns", "10us to a day"),
            ("jump 1e999m", "does not fit"), ("unplug Accelerometer", "does not fit"),
        ])
    func refuses(text: String, remedy: String) {
        do throws(FaultRefusal) {
            Issue.record("'\(text)' is read as \(try Self.read(text))")
        } catch {
            #expect(error.words.contains(remedy), "\(error.words)")
        }
    }
}
