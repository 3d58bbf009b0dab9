import Glibc
import Testing

@testable import Readings

@Suite("Between two measurements") struct InterpolationTests {
    private func values(_ kind: Kind, _ numbers: SIMD4<Double>) -> Measurement { .values(Values(kind, numbers)) }

    private func channels(of measurement: Measurement?) -> [Double]? {
        guard case .values(let values)? = measurement else { return nil }
        return values.numbers
    }

    @Test("numbers lie on a line")
    func line() {
        let first = values(.acceleration, [0, 10, -4, 0])
        #expect(
            channels(of: first.interpolated(to: values(.acceleration, [1, 20, -8, 0]), at: 0.25)) == [0.25, 12.5, -5])
    }

    @Test("numbers have no digits that arithmetic alone makes, and directions stay below a whole turn")
    func digits() throws {
        let first = values(.acceleration, [-0.106, 0.3, 0.1, 0])
        let between = first.interpolated(to: values(.acceleration, [-0.986, 0.6, -0.2, 0]), at: 0.2)
        #expect(channels(of: between) == [-0.282, 0.36, 0.04])
        let small = values(.magneticField, [1e-7, 3e-10, 2e15, 0])
        #expect(channels(of: small.interpolated(to: small, at: 0.3)) == [1e-7, 3e-10, 2e15])
        let north = values(.heading, [359.999_999_999_9, 0, 0, 0])
        #expect(channels(of: north.interpolated(to: values(.heading, [0, 0, 0, 0]), at: 0.9)) == [0])
        var (west, east) = (Location(fix: .twoDimensional), Location(fix: .twoDimensional))
        (west.longitudeDegrees, east.longitudeDegrees) = (179.999_999_999_9, -180)
        (west.trackDegrees, east.trackDegrees) = (359.999_999_999_9, 0)
        guard case .location(let date)? = Measurement.location(west).interpolated(to: .location(east), at: 0.9) else {
            Issue.record("nothing between two fixes")
            return
        }
        #expect(date.longitudeDegrees == -180 && date.trackDegrees == 0)
    }

    @Test(
        "directions lie on the shorter arc",
        arguments: [(350.0, 10.0, 0.5, 0.0), (10, 350, 0.75, 355), (0, 90, 0.5, 45), (359, 1, 0.25, 359.5)])
    func arc(first: Double, second: Double, fraction: Double, expected: Double) throws {
        let between = values(.heading, [first, 0, 0, 0]).interpolated(
            to: values(.heading, [second, 0, 0, 0]), at: fraction)
        #expect(abs(try #require(channels(of: between))[0] - expected) < 1e-9)
    }

    @Test("quaternions lie on the great circle, whichever of the two signs they have", arguments: [1.0, -1.0])
    func greatCircle(sign: Double) throws {
        // A turn about z by 0 and by 90 degrees.
        let (first, second) = (SIMD4(0.0, 0, 0, 1), SIMD4(0, 0, sin(.pi / 4), cos(.pi / 4)) * sign)
        for fraction in [0, 0.2, 0.5, 0.9, 1] {
            let between = values(.rotation, first).interpolated(to: values(.rotation, second), at: fraction)
            let (half, numbers) = (fraction * .pi / 4, try #require(channels(of: between)))
            #expect(abs(numbers[2] - sin(half)) < 1e-12 && abs(numbers[3] - cos(half)) < 1e-12)
        }
    }

    @Test("equal and nearly equal quaternions stay unit quaternions")
    func near() throws {
        let first = SIMD4(0.5, 0.5, 0.5, 0.5)
        for second in [first, -first, SIMD4(0.5 + 1e-9, 0.5, 0.5, 0.5 - 1e-9)] {
            let numbers = try #require(
                channels(of: values(.rotation, first).interpolated(to: values(.rotation, second), at: 0.3)))
            let square: Double = numbers.reduce(0) { $0 + $1 * $1 }
            #expect(abs(square - 1) < 1e-12)
        }
    }

    @Test("each field of a location follows its rule")
    func location() throws {
        var (first, second) = (Location(fix: .threeDimensional), Location(fix: .threeDimensional))
        (first.latitudeDegrees, first.longitudeDegrees) = (10, 179.5)
        (second.latitudeDegrees, second.longitudeDegrees) = (20, -179.5)
        (first.trackDegrees, second.trackDegrees) = (340, 20)
        (first.rollDegrees, second.rollDegrees) = (178, -178)
        (first.status, second.status) = (.rtkFixed, .rtkFixed)
        (first.altitudeMeters, first.satellitesUsed, second.satellitesUsed) = (100, 5, 9)
        guard case .location(let between)? = Measurement.location(first).interpolated(to: .location(second), at: 0.75)
        else {
            Issue.record("nothing between two fixes")
            return
        }
        #expect(between.latitudeDegrees == 17.5 && between.trackDegrees == 10)
        #expect(abs(try #require(between.longitudeDegrees) + 179.75) < 1e-9)
        #expect(between.rollDegrees == -179 && between.status == nil)
        // Known at one end only, and a count.
        #expect(between.altitudeMeters == nil && between.satellitesUsed == nil)
    }

    @Test("nothing lies between fixes of different worth, switches, edges or kinds")
    func nothing() {
        let fix = Measurement.location(Location(fix: .threeDimensional))
        #expect(fix.interpolated(to: .location(Location(fix: .twoDimensional)), at: 0.5) == nil)
        let none = Measurement.location(Location(fix: .noPosition))
        #expect(none.interpolated(to: none, at: 0.5) == nil)
        #expect(values(.proximity, [0, 1, 0, 0]).interpolated(to: values(.proximity, [1, 2, 0, 0]), at: 0.5) == nil)
        #expect(Measurement.orientation(.normal).interpolated(to: .orientation(.normal), at: 0.5) == nil)
        #expect(values(.gravity, [0, 0, 0, 0]).interpolated(to: values(.acceleration, [0, 0, 0, 0]), at: 0.5) == nil)
    }

    @Test("the mean of directions and how far they spread are those of the circle")
    func directions() throws {
        var north = DirectionMean()
        for degrees in [359.0, 1, 359, 1] { north.add(degrees) }
        #expect(abs(Direction.turn(from: 0, to: try #require(north.degrees))) < 1e-9)
        #expect(abs(try #require(north.deviationDegrees) - 1) < 1e-3)
        var around = DirectionMean()
        for degrees in [0.0, 90, 180, 270] { around.add(degrees) }
        #expect(around.degrees == nil)
        // Just below north is not a whole turn.
        #expect(Direction.turned(-1e-20) == 0 && Direction.turned(360) == 0)
        #expect(Direction.turned(180, from: -180) == -180)
        #expect(Direction.turned(13.4, from: -180) == 13.4, "it is not rounded")
        #expect(Direction.between(13.4, 13.4, at: 0.3, from: -180) == 13.4)
    }

    @Test("the spread of rotations is an angle, whichever sign they have")
    func spread() throws {
        var mean = VectorMean(.spherical)
        for (degrees, sign) in [(10.0, 1.0), (-10, -1), (10, -1), (-10, 1)] {
            let half = degrees * .pi / 360
            mean.add(SIMD4(0, 0, sin(half), cos(half)) * sign)
        }
        let spreadDegrees: Double = try #require(mean.spreadRadians) * 180 / .pi
        #expect(abs(spreadDegrees - 10) < 0.01)
        #expect(abs(try #require(mean.value).w - 1) < 1e-12)
    }

    @Test("what is no rotation is impossible, by itself and in a run")
    func noRotation() {
        let turned = Values(.rotation, [0, 0, 0.6, 0.8])
        for none in [Values(.rotation, .zero), Values(.rotation, [0.3, 0, 0, 0.3])] {
            #expect(turned.isPossible && !none.isPossible)
            let times = [1, 2].map { BootTime(nanoseconds: $0) }
            #expect(SampleRun(of: .rotation, at: times, numbers: turned.numbers + turned.numbers).isPossible)
            #expect(!SampleRun(of: .rotation, at: times, numbers: turned.numbers + none.numbers).isPossible)
        }
    }
}
