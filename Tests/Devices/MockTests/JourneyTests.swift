import Foundation
import Readings
import Testing

@testable import Mock

@Suite struct JourneyTests {
    private static let berlin = Position(latitudeDegrees: 52.52, longitudeDegrees: 13.405)
    private static let newYork = Position(latitudeDegrees: 40.7128, longitudeDegrees: -74.006)

    private static func speed(_ metersPerSecond: Double) -> Journey.Pace {
        .speed(SpeedProfile([(0, metersPerSecond)]))
    }

    /// The chord between two places on the ellipsoid, which equals the arc if they are close together.
    private static func meters(_ first: Location, _ second: Location) throws -> Double {
        func place(_ location: Location) throws -> SIMD3<Double> {
            Position(
                latitudeDegrees: try #require(location.latitudeDegrees),
                longitudeDegrees: try #require(location.longitudeDegrees)
            ).earthCentered
        }
        let chord = try place(second) - place(first)
        return (chord * chord).sum().squareRoot()
    }

    @Test("a great circle is as long as the ellipsoid has it, and begins in its direction")
    func greatCircle() {
        let route = Route([(Self.berlin, 0), (Self.newYork, 0)])
        // The geodesic of WGS84 is 6,402.0 km long; the great circle between is at most a thousandth longer.
        #expect((6_395_000...6_410_000).contains(route.lengthMeters), "\(route.lengthMeters)")
        #expect(abs(route.place(atMeters: 0).courseDegrees - 296) < 1)
        let end = route.place(atMeters: .infinity).position
        #expect(abs(end.latitudeDegrees - Self.newYork.latitudeDegrees) < 1e-9)
        #expect(abs(end.longitudeDegrees - Self.newYork.longitudeDegrees) < 1e-9)
        // Across the date line, the short way.
        let across = Route([
            (Position(latitudeDegrees: 0, longitudeDegrees: 179), 0),
            (Position(latitudeDegrees: 0, longitudeDegrees: -179), 0),
        ])
        #expect(abs(across.lengthMeters - 222_639) < 1)
    }

    @Test(
        "the distance of a second is the reported speed everywhere, and the course is the direction of movement",
        arguments: [0.0, 45, -60, 84] as [Double])
    func speedIsTrue(latitude: Double) throws {
        let center = Position(latitudeDegrees: latitude, longitudeDegrees: 179.999)
        let circle = Route(around: center, radiusMeters: 800, altitudeMeters: 20, isClockwise: true)
        #expect(abs(circle.lengthMeters - 2 * .pi * 800) < 25)
        let journey = Journey(circle, Self.speed(15), atEnd: .repeat)
        for second in stride(from: 0.0, to: 400, by: 17) {
            let here = journey.location(atSeconds: second)
            let there = journey.location(atSeconds: second + 0.1)
            #expect(abs(try Self.meters(here, there) - 1.5) < 0.002)
            #expect(here.speedMetersPerSecond == 15)
            let middle = journey.location(atSeconds: second + 0.05)
            let (east, north) = Position(
                latitudeDegrees: here.latitudeDegrees ?? 0, longitudeDegrees: here.longitudeDegrees ?? 0
            ).compass
            let step =
                Position(latitudeDegrees: there.latitudeDegrees ?? 0, longitudeDegrees: there.longitudeDegrees ?? 0)
                .earthCentered
                - Position(latitudeDegrees: here.latitudeDegrees ?? 0, longitudeDegrees: here.longitudeDegrees ?? 0)
                .earthCentered
            let course = atan2((step * east).sum(), (step * north).sum()) * 180 / .pi
            let difference =
                (course - (middle.trackDegrees ?? 0) + 720 + 180).truncatingRemainder(dividingBy: 360) - 180
            #expect(abs(difference) < 0.4, "\(course) \(String(describing: middle.trackDegrees))")
        }
    }

    @Test("a speed profile repeats, and its distance is the integral of the speed")
    func profile() {
        let profile = SpeedProfile([(0, 0), (10, 10), (20, 10), (30, 0), (40, 0)])
        #expect(profile.progress(atSeconds: 5).metersPerSecond == 5)
        #expect(profile.progress(atSeconds: 5).meters == 12.5)
        #expect(profile.progress(atSeconds: 40).meters == 200)
        #expect(profile.progress(atSeconds: 45).meters == 212.5)
        #expect(profile.progress(atSeconds: 35).metersPerSecond == 0)
    }

    @Test("at the end a journey stops, repeats or returns")
    func ends() {
        let route = Route([
            (Position(latitudeDegrees: 0, longitudeDegrees: 0), 0),
            (Position(latitudeDegrees: 0.01, longitudeDegrees: 0), 100),
        ])
        let length = route.lengthMeters
        let late = length / 10 + 10
        let stopped = Journey(route, Self.speed(10), atEnd: .stop).location(atSeconds: late)
        #expect(stopped.speedMetersPerSecond == 0)
        #expect(abs((stopped.latitudeDegrees ?? 0) - 0.01) < 1e-9)
        let again = Journey(route, Self.speed(10), atEnd: .repeat).progress(atSeconds: late)
        #expect(abs(again.meters - 100) < 1e-6)
        let back = Journey(route, Self.speed(10), atEnd: .return).location(atSeconds: late)
        #expect(abs((back.trackDegrees ?? 0) - 180) < 1e-6)
        #expect((back.climbMetersPerSecond ?? 0) < 0)
        #expect(abs((back.altitudeMeters ?? 0) - 100 * (1 - 100 / length)) < 0.01)
    }

    @Test("a track with times has its positions at its times, and stands still where it did")
    func timed() {
        let route = Route([
            (Position(latitudeDegrees: 0, longitudeDegrees: 0), 0),
            (Position(latitudeDegrees: 0.001, longitudeDegrees: 0), 0),
            (Position(latitudeDegrees: 0.001, longitudeDegrees: 0), 0),
            (Position(latitudeDegrees: 0.002, longitudeDegrees: 0), 0),
        ])
        let journey = Journey(route, .stops([0, 10, 60, 70]), atEnd: .stop)
        #expect(abs((journey.location(atSeconds: 5).latitudeDegrees ?? 0) - 0.0005) < 1e-9)
        #expect(journey.location(atSeconds: 30).speedMetersPerSecond == 0)
        #expect(abs((journey.location(atSeconds: 30).latitudeDegrees ?? 0) - 0.001) < 1e-9)
        #expect(abs((journey.location(atSeconds: 65).speedMetersPerSecond ?? 0) - 11.057) < 0.01)
        #expect(journey.location(atSeconds: 1e9).speedMetersPerSecond == 0)
    }

    @Test("every route has valid positions", arguments: [0, 1e-9, 1, 1e12, .infinity])
    func finite(seconds: Double) {
        let places = [
            Position(latitudeDegrees: 90, longitudeDegrees: 0), Position(latitudeDegrees: -90, longitudeDegrees: 0),
            Position(latitudeDegrees: 0, longitudeDegrees: 0), Position(latitudeDegrees: 0, longitudeDegrees: 180),
            Position(latitudeDegrees: 0, longitudeDegrees: 180),
        ]
        for atEnd in Journey.AtEnd.allCases {
            for stops in [places, Array(places.prefix(1)), Array(places.suffix(2))] {
                let journey = Journey(Route(stops.map { ($0, 0) }), Self.speed(10), atEnd: atEnd)
                let location = journey.location(atSeconds: seconds == .infinity ? 1e300 : seconds)
                #expect(location.latitudeDegrees.map { abs($0) <= 90 } == true)
                #expect(location.longitudeDegrees.map { abs($0) <= 180 } == true)
                #expect(location.trackDegrees.map { (0..<360).contains($0) } == true)
            }
        }
    }
}
