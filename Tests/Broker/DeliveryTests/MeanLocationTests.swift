import Readings
import Testing

@testable import Delivery

@Suite("The mean of locations") struct MeanLocationTests {
    @Test("is correct across the antimeridian and across north")
    func wrapping() throws {
        var mean = Mean()
        mean.add(Samples.location(0, at: 0, latitude: 10, longitude: 179.9, track: 350))
        mean.add(Samples.location(1, at: 10, latitude: 12, longitude: -179.7, track: 20))
        let sample = try #require(mean.sample)
        guard case .location(let location) = sample.measurement else {
            Issue.record("not a location")
            return
        }
        #expect(abs((location.longitudeDegrees ?? 0) - -179.9) < 1e-9)
        #expect(location.latitudeDegrees == 11)
        #expect(abs((location.trackDegrees ?? 0) - 5) < 1e-9)
        #expect(sample.timestamp == BootTime(nanoseconds: 5))
    }

    @Test("is the location itself if all are equal", arguments: [13.4, -0.1278, 0.1, -179.9])
    func equal(degrees: Double) {
        var location = Location(fix: .threeDimensional)
        location.longitudeDegrees = degrees
        var mean = MeanLocation(location)
        for _ in 0..<9 { mean.add(location) }
        #expect(mean.value.longitudeDegrees == degrees)
    }

    @Test("does not mix samples with and without a fix: its time and number are of those since the change")
    func fixes() {
        var none = Location(fix: .noPosition)
        none.satellitesVisible = 3
        var fixed = Location(fix: .threeDimensional)
        fixed.latitudeDegrees = 50
        var mean = Mean()
        for (index, location) in [none, none, fixed, fixed].enumerated() {
            mean.add(
                Sample(
                    sequence: UInt64(index), timestamp: BootTime(nanoseconds: Int64(index) * 10),
                    measurement: .location(location)))
        }
        let sample = mean.sample
        #expect(sample?.measurement == .location(fixed))
        #expect(sample?.sequence == 2 && sample?.timestamp.nanoseconds == 25)
    }

    @Test("is unknown if the sum overflows, and its time is clamped")
    func beyondNumbers() {
        var first = Location(fix: .threeDimensional)
        (first.altitudeMeters, first.speedMetersPerSecond, first.utcMicroseconds) = (1.7e308, 2, .max)
        var second = first
        second.utcMicroseconds = .min
        var mean = MeanLocation(first)
        mean.add(second)
        #expect(mean.value.altitudeMeters == nil)
        #expect(mean.value.speedMetersPerSecond == 2)
        #expect(mean.value.utcMicroseconds == .max)
    }

    @Test("known errors, geoid separations and dilutions are averaged")
    func estimates() {
        var first = Location(fix: .threeDimensional)
        (first.speedErrorMetersPerSecond, first.trackErrorDegrees, first.climbErrorMetersPerSecond) = (1, 10, 3)
        (first.geoidSeparationMeters, first.horizontalDilution, first.positionDilution) = (46, 1, 2)
        var second = first
        (second.speedErrorMetersPerSecond, second.trackErrorDegrees, second.climbErrorMetersPerSecond) = (2, nil, 5)
        (second.geoidSeparationMeters, second.horizontalDilution, second.verticalDilution) = (47, 3, 7)
        var mean = MeanLocation(first)
        mean.add(second)
        #expect(mean.value.speedErrorMetersPerSecond == 1.5)
        #expect(mean.value.trackErrorDegrees == 10)
        #expect(mean.value.climbErrorMetersPerSecond == 4)
        #expect(mean.value.geoidSeparationMeters == 46.5)
        #expect(mean.value.horizontalDilution == 2)
        #expect(mean.value.verticalDilution == 7)
        #expect(mean.value.positionDilution == 2)
    }
}
