import TestTools
import Testing

@testable import SensorBroker

/// What a program does with the time of a reading.
@Suite struct TimeTests {
    @Test("differences of instants are durations, and clamped")
    func differences() {
        #expect(at(5).duration(to: at(1_000_000_005)) == .seconds(1))
        #expect(at(5).duration(to: at(2)) == .nanoseconds(-3))
        #expect(at(.min).duration(to: at(.max)) == .nanoseconds(Int64.max))
        #expect(at(5).advanced(by: .milliseconds(2)) == at(2_000_005))
        #expect(at(5).advanced(by: .seconds(Int64.max)) == at(.max))
    }

    @Test("a reading has an age, which is never negative")
    func age() {
        let reading = Reading(1, of: .location, at: at(1_000))
        #expect(reading.age(at: at(1_500)) == .nanoseconds(500))
        #expect(reading.age(at: at(500)) == .zero)
        let before = BootTime.now
        let (age, after) = (reading.age, BootTime.now)
        #expect(at(1_000).duration(to: before) <= age && age <= at(1_000).duration(to: after))
    }

    @Test("readings have a wall-clock time, whose differences are those of the boot clock")
    func wallClock() {
        let (first, second) = (Reading(1, of: .location, at: at(1_000)), Reading(1, of: .location, at: at(1_007)))
        #expect(second.timeSince1970 - first.timeSince1970 == .nanoseconds(7))
        // This test was written in 2026.
        #expect(BootTime.now.timeSince1970 > .seconds(1_767_225_600))
    }
}
