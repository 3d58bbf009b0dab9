import Glibc
import Readings
import Testing

@testable import Delivery

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
            #expect(abs(numbers.map { $0 * $0 }.reduce(0, +) - 1) < 1e-12)
        }
    }

    @Test("each field of a location follows its rule")
    func location() throws {
        var (first, second) = (Location(fix: .threeDimensional), Location(fix: .threeDimensional))
        (first.latitudeDegrees, first.longitudeDegrees) = (10, 179.5)
        (second.latitudeDegrees, second.longitudeDegrees) = (20, -179.5)
        (first.trackDegrees, second.trackDegrees) = (340, 20)
        (first.altitudeMeters, first.satellitesUsed, second.satellitesUsed) = (100, 5, 9)
        guard case .location(let between)? = Measurement.location(first).interpolated(to: .location(second), at: 0.75)
        else {
            Issue.record("nothing between two fixes")
            return
        }
        #expect(between.latitudeDegrees == 17.5 && between.trackDegrees == 10)
        #expect(abs(try #require(between.longitudeDegrees) + 179.75) < 1e-9)
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
}

@Suite("Requests of a stream that are aligned") struct AlignedRequestTests {
    private func request(_ name: String, to lead: String? = nil) throws -> Request {
        var request = Request(resource: try #require(ResourceName(name)))
        request.alignTo = lead
        return request
    }

    @Test("mark those that others are aligned to")
    func leads() throws {
        var stale = try request("light")
        stale.leads = true
        let requests = try Request.aligned([
            request("gyroscope"), request("accelerometer", to: "gyroscope"), stale,
        ])
        #expect(requests.map(\.leads) == [true, false, false] && requests.map(\.isAligned) == [true, true, false])
    }

    @Test("need a lead that is requested by itself, and values that lie on a line")
    func faults() throws {
        let gyroscope = try request("gyroscope")
        #expect(throws: AlignmentFault.noLead) { try Request.aligned([request("light", to: "gyroscope")]) }
        #expect(throws: AlignmentFault.noLead) { try Request.aligned([request("light", to: "light")]) }
        #expect(throws: AlignmentFault.noLead) {
            try Request.aligned([gyroscope, request("light", to: "gyroscope"), request("pressure", to: "light")])
        }
        #expect(throws: AlignmentFault.noInterpolation) {
            try Request.aligned([gyroscope, request("proximity", to: "gyroscope")])
        }
        var choosy = try request("light", to: "gyroscope")
        choosy.minimumChange = 5
        #expect(throws: AlignmentFault.minimumChange) { try Request.aligned([gyroscope, choosy]) }
    }
}
