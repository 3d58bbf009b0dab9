import Readings
import Testing

@testable import Gpsd

/// The second after June or December: libgps and gpsd give a leap second before it the same number.
@Suite struct LeapSecondTests {
    @Test("a leap second and the second after it are readings of their own", arguments: [1000, 200, 100] as [Int64])
    func leap(stepMilliseconds: Int64) {
        var stream = EpochStream()
        let count = 10_000 / stepMilliseconds
        let times = (0..<count).map { index in
            let milliseconds = index * stepMilliseconds
            // Five seconds before midnight; then one second twice.
            return Double(milliseconds < 6000 ? milliseconds : milliseconds - 1000) / 1000
        }
        for (index, time) in times.enumerated() {
            let arrival = Int64(index) * stepMilliseconds
            stream.report(at: arrival, second: time, after: 1_798_761_595)
            stream.report(at: arrival + stepMilliseconds / 5, second: time, speed: 1, after: 1_798_761_595)
        }
        stream.run(until: 12_000)
        #expect(stream.readings.count == times.count)
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1 })
        #expect(stream.assembler.lateReports == 0)
    }

    @Test("only that second is repeated")
    func seconds() {
        let repeated: [Int64] = [
            946_684_800, 962_409_600, 1_483_228_800, 1_435_708_800, 1_719_792_000, 1_798_761_600, 1_704_067_200,
        ]
        for second in repeated {
            #expect(FixTime(seconds: second, nanoseconds: 500_000_000).mayRepeat, "\(second)")
            for other in [second - 1, second + 1, second - 86_400, second + 86_400, second + 43_200] {
                #expect(!FixTime(seconds: other, nanoseconds: 0).mayRepeat, "\(other)")
            }
        }
        for extreme in [Int64.min, -86_400, 0, 86_400, .max] {
            #expect(!FixTime(seconds: extreme, nanoseconds: 0).mayRepeat)
        }
    }
}
