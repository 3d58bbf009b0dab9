import Readings
import Testing

@testable import IIO

@Suite struct OfferedRatesTests {
    @Test("a list is sorted, without 0 and duplicates")
    func list() throws {
        let rates = try #require(OfferedRates(text: "0 50.000000 12.5 100 50 \n"))
        #expect(rates.intervals == .discrete([10_000_000, 20_000_000, 80_000_000]))
    }

    @Test("a range is read with its step, and begins above 0")
    func range() throws {
        #expect(
            try #require(OfferedRates(text: "[0.5 0.5 100]")).intervals
                == .range(shortestNanoseconds: 10_000_000, longestNanoseconds: 2_000_000_000))
        #expect(
            try #require(OfferedRates(text: "[0 2 100]")).intervals
                == .range(shortestNanoseconds: 10_000_000, longestNanoseconds: 500_000_000))
    }

    @Test(
        "text that is neither is refused",
        arguments: [
            "", "0", "[1 2]", "[100 1 1]", "[1 -1 100]", "[1 nan 100]", "[0 0 100]", "[]", "off on",
        ])
    func refuses(text: String) { #expect(OfferedRates(text: text) == nil) }

    @Test(
        "the slowest rate that is sufficient is chosen, the fastest if none is",
        arguments: [
            (20_000_000, 50.0), (19_999_999, 100), (20_000_001, 50), (15_000_000, 100), (1, 100), (80_000_000, 12.5),
            (5_000_000_000, 12.5),
        ] as [(Int64, Double)])
    func chooses(interval: Int64, hertz: Double) throws {
        let rates = try #require(OfferedRates(text: "100 12.5 50"))
        #expect(rates.slowest(satisfying: interval).hertz == hertz)
    }

    @Test("a rate satisfies its own rounded interval", arguments: ["33.333333", "66.7", "7.04", "0.3", "3906.25"])
    func roundTrips(text: String) throws {
        let rates = try #require(OfferedRates(text: "\(text) 6000"))
        let own = try #require(SamplingRate(text: text))
        #expect(rates.slowest(satisfying: own.intervalNanoseconds) == own)
    }

    @Test(
        "in a range the rate lies on a step, and is not slower than requested",
        arguments: [
            (100_000_000, 10.0), (99_000_000, 15), (150_000_000, 10), (10_000_000_000, 5), (1_000_000, 100),
        ] as [(Int64, Double)])
    func steps(interval: Int64, hertz: Double) throws {
        let rates = try #require(OfferedRates(text: "[5 5 100]"))
        #expect(rates.slowest(satisfying: interval).hertz == hertz)
    }

    @Test("a range without steps gives the requested rate")
    func stepless() throws {
        #expect(try #require(OfferedRates(text: "[1 0 100]")).slowest(satisfying: 80_000_000).hertz == 12.5)
    }

    @Test("without a list the driver gets the requested rate, up to 1 kHz")
    func unlisted() {
        #expect(OfferedRates.unlisted.slowest(satisfying: 7_000_000).text == "142.857142")
        #expect(OfferedRates.unlisted.slowest(satisfying: 1).hertz == 1000)
    }

    @Test("scans of kinds with separate rates have the slowest of the sufficient ones")
    func several() throws {
        let first = try #require(OfferedRates(text: "25 50 100"))
        let second = try #require(OfferedRates(text: "50 200"))
        #expect(OfferedRates.intervals(of: []) == nil)
        #expect(OfferedRates.intervals(of: [second]) == second.intervals)
        #expect(
            OfferedRates.intervals(of: [first, second]) == .discrete([10_000_000, 20_000_000, 40_000_000]))
        #expect(
            OfferedRates.intervals(of: [first, .unlisted])
                == .range(shortestNanoseconds: 10_000_000, longestNanoseconds: 10_000_000_000))
    }
}
