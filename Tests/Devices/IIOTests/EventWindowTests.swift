import Readings
import Testing

@testable import IIO

@Suite("The window of a threshold") struct EventWindowTests {
    @Test("ends at the last counts that have changed by less", arguments: [1.0, 2, 5, 100, 1_000])
    func counts(change: Double) {
        let window = EventWindow(around: 5_000, change: change, isWhole: true)
        #expect(window.contains(5_000) && window.low == window.low.rounded() && window.high == window.high.rounded())
        #expect(!window.contains(5_000 + change) && !window.contains(5_000 - change))
        // Hardly narrower than it may be.
        #expect(window.high - 5_000 >= (change - 1) * 0.98 && 5_000 - window.low >= (change - 1) * 0.98)
    }

    @Test("of numbers with fractions is not rounded")
    func fractions() {
        let window = EventWindow(around: 10.25, change: 0.5, isWhole: false)
        #expect(window.contains(10.25 + 0.49) && !window.contains(10.75) && !window.contains(9.75))
    }

    @Test("is never below 0, nor without the number")
    func bounds() {
        #expect(EventWindow(around: 3, change: 100, isWhole: true).low == 0)
        for center in [-7.0, 0, 0.3, 1e12, .nan] {
            let window = EventWindow(around: center, change: 0.1, isWhole: true)
            #expect(center.isNaN || window.contains(center))
        }
    }

    @Test("ends where something near would be far, and the other way round")
    func near() throws {
        for level in [0.0, 100, 1_000] {
            var conversion = AxisConversion(
                of: Quantity(.proximity), [.one], factor: 1, nearness: Nearness(level: level))
            for count in stride(from: 0.0, through: 2_000, by: 1) {
                let value = conversion.values(SIMD4<Double>(count, 0, 0, 0))[0]
                let standing = try #require(conversion.standing)
                let window = EventWindow(
                    around: count, change: conversion.numbers(in: 1e6), isWhole: true, standing: standing)
                let others = [count - 1, count + 1, window.low - 1, window.high + 1, window.low, window.high]
                // So far away that the count itself has changed enough.
                for other in others where (0..<900_000).contains(other) {
                    var next = conversion
                    let changes = next.values(SIMD4<Double>(other, 0, 0, 0))[0] != value
                    #expect(window.contains(other) != changes, "level \(level), from \(count) to \(other)")
                }
            }
        }
    }

    @Test("of a light is in the driver's numbers, whatever scale and calibration make of them")
    func light() throws {
        let axis = try #require(AxisConversion.Axis(scale: "0.25", offset: "8"))
        let calibration = Calibration(scale: SIMD4(repeating: -2), offset: SIMD4(repeating: 5))
        var conversion = AxisConversion(of: Quantity(.illuminance), [axis], factor: 1, calibration: calibration)
        let numbers = conversion.numbers(in: 3)
        let first = conversion.values(SIMD4<Double>(100, 0, 0, 0))[0]
        let second = conversion.values(SIMD4<Double>(100 + numbers, 0, 0, 0))[0]
        #expect(abs(abs(second - first) - 3) < 1e-9 && conversion.standing == nil)
    }

    @Test("is narrowed half by half until nothing is left", arguments: [true, false])
    func narrowed(isWhole: Bool) {
        for limit in [EventWindow.Limit.low, .high] {
            var window = EventWindow(around: 60_000, change: 50_000, isWhole: isWhole)
            var steps = 0
            while window.narrow(limit) { steps += 1 }
            #expect(window[limit] == 60_000 && (10...50).contains(steps))
        }
        var endless = EventWindow(around: 1, change: .infinity, isWhole: isWhole)
        let isNarrower = endless.narrow(.high)
        #expect(!isNarrower)
    }

    @Test("as text has no exponent and six decimals at most")
    func texts() {
        let texts = [0, 65_535, 0.25, 1e7, 10.1234567, -3.5, .nan].map(\.sysfsText)
        #expect(texts == ["0", "65535", "0.25", "10000000", "10.123456", "-3.5", "0"])
    }
}
