import Readings
import Testing

@testable import Gpsd

@Suite struct FixValidationTests {
    @Test("impossible values are counted, unknown ones are not")
    func refusals() {
        var report = FixReport(time: FixTime(seconds: 1_600_000_000, nanoseconds: 0), mode: 3)
        #expect(FixValidation.refusals(in: report) == 0)
        (report.location.latitudeDegrees, report.location.speedMetersPerSecond) = (.infinity, -1)
        #expect(FixValidation.refusals(in: report) == 2)
        (report.time, report.mode) = (FixTime(seconds: 1, nanoseconds: 0), 99)
        #expect(FixValidation.refusals(in: report) == 4)
    }

    @Test(
        "each value that is checked is counted, also where another one is used instead",
        arguments: [
            \.location.latitudeDegrees, \.location.longitudeDegrees, \.location.altitudeMeters,
            \.location.ellipsoidHeightMeters, \.location.speedMetersPerSecond, \.location.trackDegrees,
            \.location.climbMetersPerSecond, \.location.speedErrorMetersPerSecond, \.location.trackErrorDegrees,
            \.location.climbErrorMetersPerSecond, \.location.geoidSeparationMeters,
            \.location.velocityNorthMetersPerSecond, \.location.velocityEastMetersPerSecond,
            \.location.velocityDownMetersPerSecond, \.location.ecefVelocityXMetersPerSecond,
            \.location.ecefVelocityYMetersPerSecond, \.location.ecefVelocityZMetersPerSecond,
            \.location.timeErrorSeconds, \.location.horizontalErrorMeters, \.location.verticalErrorMeters,
            \.eastErrorMeters, \.northErrorMeters,
        ] as [any WritableKeyPath<FixReport, Double?> & Sendable])
    func refusal(_ value: any WritableKeyPath<FixReport, Double?> & Sendable) {
        var report = Self.good
        report[keyPath: value] = .infinity
        #expect(FixValidation.refusals(in: report) == 1)
    }

    @Test(
        "each value of the vector to the base is checked and counted",
        arguments: [\.northMeters, \.eastMeters, \.downMeters, \.lengthMeters, \.headingDegrees]
            as [any WritableKeyPath<BaselineReport, Double> & Sendable])
    func baselineRefusal(_ value: any WritableKeyPath<BaselineReport, Double> & Sendable) {
        var report = Self.good
        report.baseline[keyPath: value] = .infinity
        #expect(FixValidation.refusals(in: report) == 1)
    }

    private static var good: FixReport {
        var report = FixReport(time: FixTime(seconds: 1_600_000_000, nanoseconds: 5_000_000), mode: 3)
        report.location.latitudeDegrees = 52.5
        report.location.longitudeDegrees = 13.4
        report.location.altitudeMeters = 34
        report.location.ellipsoidHeightMeters = 78
        report.location.speedMetersPerSecond = 1.5
        report.location.trackDegrees = 359.9
        report.location.climbMetersPerSecond = -0.25
        report.location.horizontalErrorMeters = 3
        report.location.verticalErrorMeters = 5
        return report
    }

    @Test("a good report passes whole")
    func good() {
        let location = FixValidation.location(of: Self.good).limitedToFix()
        #expect(location.fix == .threeDimensional)
        #expect(location.utcMicroseconds == 1_600_000_000_005_000)
        #expect(location.latitudeDegrees == 52.5)
        #expect(location.longitudeDegrees == 13.4)
        #expect(location.altitudeMeters == 34)
        #expect(location.ellipsoidHeightMeters == 78)
        #expect(location.speedMetersPerSecond == 1.5)
        #expect(location.trackDegrees == 359.9)
        #expect(location.climbMetersPerSecond == -0.25)
        #expect(location.horizontalErrorMeters == 3)
        #expect(location.verticalErrorMeters == 5)
    }

    @Test(
        "only the mode determines the quality of the fix",
        arguments: [
            (0, Location.Fix.noPosition), (1, .noPosition), (2, .twoDimensional), (3, .threeDimensional),
            (4, .noPosition), (99, .noPosition), (-1, .noPosition), (.max, .noPosition), (.min, .noPosition),
        ])
    func mode(_ mode: Int, _ fix: Location.Fix) {
        var report = Self.good
        report.mode = mode
        let location = FixValidation.location(of: report).limitedToFix()
        #expect(location.fix == fix)
        #expect(location.hasPosition == (fix != .noPosition))
        #expect((location.altitudeMeters != nil) == (fix == .threeDimensional))
        #expect((location.ellipsoidHeightMeters != nil) == (fix == .threeDimensional))
        #expect((location.climbMetersPerSecond != nil) == (fix == .threeDimensional))
        #expect((location.speedMetersPerSecond != nil) == (fix != .noPosition))
        #expect(location.utcMicroseconds != nil)
    }

    @Test("half a position is not a position", arguments: [Double.nan, .infinity, -.infinity, 90.1, -4000])
    func position(_ bad: Double) {
        var report = Self.good
        report.location.latitudeDegrees = bad
        #expect(FixValidation.location(of: report).limitedToFix().fix == .noPosition)
        report = Self.good
        report.location.longitudeDegrees = bad * 2
        #expect(FixValidation.location(of: report).limitedToFix().longitudeDegrees == nil)
    }

    @Test(
        "values that are not finite, or out of range, are unknown",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func ranges(_ bad: Double) {
        var report = Self.good
        report.location.altitudeMeters = bad
        report.location.ellipsoidHeightMeters = bad
        report.location.speedMetersPerSecond = bad
        report.location.trackDegrees = bad
        report.location.climbMetersPerSecond = bad
        report.location.horizontalErrorMeters = bad
        report.location.verticalErrorMeters = bad
        let location = FixValidation.location(of: report).limitedToFix()
        var bare = Location(fix: .threeDimensional)
        bare.utcMicroseconds = 1_600_000_000_005_000
        bare.latitudeDegrees = 52.5
        bare.longitudeDegrees = 13.4
        #expect(location == bare)
    }

    @Test("the ends of the ranges are in them, and a track of 360 is 0")
    func ends() {
        var report = Self.good
        (report.location.latitudeDegrees, report.location.longitudeDegrees) = (-90, 180)
        report.location.trackDegrees = 360
        (report.location.speedMetersPerSecond, report.location.horizontalErrorMeters) = (0, 0)
        let location = FixValidation.location(of: report).limitedToFix()
        #expect(location.latitudeDegrees == -90)
        #expect(location.longitudeDegrees == 180)
        #expect(location.trackDegrees == 0)
        #expect(location.speedMetersPerSecond == 0)
        #expect(location.horizontalErrorMeters == 0)
        report.location.speedMetersPerSecond = -0.1
        report.location.verticalErrorMeters = -1
        #expect(FixValidation.location(of: report).speedMetersPerSecond == nil)
        #expect(FixValidation.location(of: report).verticalErrorMeters == nil)
    }

    @Test("the horizontal error is gpsd's own, else that of both axes together")
    func horizontalError() {
        var report = Self.good
        (report.eastErrorMeters, report.northErrorMeters) = (3, 4)
        #expect(FixValidation.location(of: report).horizontalErrorMeters == 3)
        report.location.horizontalErrorMeters = .nan
        #expect(FixValidation.location(of: report).horizontalErrorMeters == 5)
        report.northErrorMeters = -4
        #expect(FixValidation.location(of: report).horizontalErrorMeters == nil)
    }

    @Test(
        "a time outside of 2000 to 2099 is unknown",
        arguments: [
            (Int64(946_684_799), Int64(0), Int64?.none), (946_684_800, 0, 946_684_800_000_000),
            (4_102_444_799, 999_999_999, 4_102_444_799_999_999), (4_102_444_800, 0, nil), (253_391_673_600, 0, nil),
            (-2_209_075_200, 0, nil), (.max, .max, nil), (.min, .min, nil), (1_600_000_000, -1, nil),
            (1_600_000_000, 1_000_000_000, nil),
        ])
    func time(_ seconds: Int64, _ nanoseconds: Int64, _ utc: Int64?) {
        #expect(FixTime(seconds: seconds, nanoseconds: nanoseconds).utcMicroseconds == utc)
        let epoch = FixTime(seconds: 0, nanoseconds: 0)
        #expect(FixTime(seconds: seconds, nanoseconds: nanoseconds).nanoseconds(since: epoch) != 0)
    }
}
