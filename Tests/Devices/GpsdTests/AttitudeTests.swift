import Readings
import Testing

@testable import Gpsd

@Suite struct AttitudeTests {
    @Test("a reading has the attitude next to it, and none that is older than a cycle, with a fix or without")
    func cycle() {
        var stream = EpochStream()
        for second in Int64(0)..<10 {
            if second < 6 { stream.attitude(at: second * 1000, heading: Double(second)) }
            stream.report(at: second * 1000 + 50, second: Double(second), mode: second < 3 ? 1 : 3)
        }
        stream.run(until: 12_000)
        #expect(stream.readings.map(\.location.headingDegrees) == [0, 1, 2, 3, 4, 5, 5, nil, nil, nil])
    }

    @Test("of many that come while an epoch waits, the one next to its first report counts")
    func many() {
        var stream = EpochStream()
        for milliseconds in stride(from: Int64(0), to: 10_000, by: 20) {
            stream.attitude(at: milliseconds, heading: Double(milliseconds / 20 % 360))
            // An epoch's reports come with a pause of 300 ms.
            switch milliseconds % 1000 {
            case 100, 400: stream.report(at: milliseconds + 1, second: Double(milliseconds / 1000))
            default: break
            }
        }
        stream.run(until: 12_000)
        let expected: [Double?] = (0..<10).map { (second: Int) -> Double? in Double((5 + second * 50) % 360) }
        #expect(stream.readings.map(\.location.headingDegrees) == expected)
    }

    @Test("the vector of the other antenna goes before that of the fix, as a whole")
    func vectors() {
        var location = Location(fix: .threeDimensional)
        Attitude(baseline: BaselineReport(northMeters: 1000, eastMeters: 0, downMeters: 5)).put(into: &location)
        #expect((location.baselineHeadingDegrees, location.baselineDownMeters) == (0, 5))
        Attitude(AttitudeReport(headingDegrees: 360, baseline: BaselineReport(lengthMeters: 1.5))).put(into: &location)
        #expect((location.headingDegrees, location.baselineLengthMeters) == (0, 1.5))
        #expect(location.baselineNorthMeters == nil && location.baselineHeadingDegrees == nil)
        Attitude(AttitudeReport()).put(into: &location)
        #expect(location.headingDegrees == 0)
    }

    @Test("the direction of a vector is clockwise from north, and unknown if it has none")
    func directions() {
        func direction(_ north: Double, _ east: Double) -> Double? {
            var location = Location(fix: .threeDimensional)
            Attitude(baseline: BaselineReport(northMeters: north, eastMeters: east)).put(into: &location)
            return location.baselineHeadingDegrees
        }
        #expect([direction(2, 0), direction(0, 2), direction(-2, 0), direction(0, -2)] == [0, 90, 180, 270])
        #expect(direction(0, 0) == nil)
        #expect(direction(1e300, 1) == nil)
    }

    @Test("impossible values are counted")
    func refusals() {
        #expect(Attitude.refusals(in: AttitudeReport()) == 0)
        var report = AttitudeReport(headingDegrees: 361, pitchDegrees: 100, rollDegrees: -.infinity)
        report.baseline = BaselineReport(northMeters: 1e9, eastMeters: 1, lengthMeters: -1, headingDegrees: -1)
        #expect(Attitude.refusals(in: report) == 6)
    }
}
