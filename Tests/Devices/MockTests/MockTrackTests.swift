import Foundation
import Mock
import Readings
import Testing

@Suite struct MockTrackTests {
    private static let second: Int64 = 1_000_000_000

    /// Metres north, east and up from one location to another close by, on a sphere of the right radii.
    private static func step(_ from: Location, _ to: Location) throws -> (north: Double, east: Double, up: Double) {
        let latitude = try #require(from.latitudeDegrees) * .pi / 180
        let curve = (1 - 0.00669437999014 * pow(sin(latitude), 2)).squareRoot()
        let degreesNorth: Double = try #require(to.latitudeDegrees) - #require(from.latitudeDegrees)
        let degreesEast: Double = try #require(to.longitudeDegrees) - #require(from.longitudeDegrees)
        let (north, east) = (degreesNorth * .pi / 180, degreesEast * .pi / 180)
        return try (
            north * 6_378_137 * (1 - 0.00669437999014) / pow(curve, 3),
            east * 6_378_137 / curve * cos(latitude),
            #require(to.altitudeMeters) - #require(from.altitudeMeters)
        )
    }

    @Test("speed, track and climb are those of the positions", arguments: [0, 1, 99] as [UInt64])
    func derivative(seed: UInt64) throws {
        let track = MockTrack(seed: seed)
        for seconds in stride(from: Int64(0), to: 700, by: 1) {
            let at = seconds * Self.second
            let here = track.location(atNanoseconds: at)
            let half = Self.second / 20
            let (north, east, up) = try Self.step(
                track.location(atNanoseconds: at - half), track.location(atNanoseconds: at + half))
            let speed = try #require(here.speedMetersPerSecond)
            #expect(abs((north * north + east * east).squareRoot() * 10 - speed) < 0.01)
            #expect(abs(up * 10 - (try #require(here.climbMetersPerSecond))) < 0.001)
            guard speed > 0.5 else { continue }
            let radians = try #require(here.trackDegrees) * .pi / 180
            #expect(abs(north * 10 - speed * cos(radians)) < 0.02)
            #expect(abs(east * 10 - speed * sin(radians)) < 0.02)
        }
    }

    @Test("speeds and accelerations are those of a car in a yard, and it does stop")
    func plausible() throws {
        let track = MockTrack(seed: 3)
        let speeds = (0..<6000).map { track.location(atNanoseconds: $0 * Self.second / 10).speedMetersPerSecond ?? -1 }
        #expect(speeds.allSatisfy { (0...15).contains($0) })
        #expect((speeds.max() ?? 0) > 8)
        #expect((speeds.min() ?? 1) < 0.05)
        #expect(zip(speeds, speeds.dropFirst()).allSatisfy { abs($1 - $0) < 0.2 })
    }

    @Test("the course is closed")
    func closed() throws {
        let track = MockTrack(seed: 3)
        let (north, east, up) = try Self.step(
            track.location(atNanoseconds: 5 * Self.second), track.location(atNanoseconds: 605 * Self.second))
        #expect(max(abs(north), abs(east), abs(up)) < 0.001)
    }

    @Test("every field is known and in its range", arguments: [0, 1, -1, 3600, 86_400 * 365, .max / 1_000_000_000])
    func ranges(seconds: Int64) throws {
        let location = MockTrack(seed: 5).location(atNanoseconds: seconds * Self.second)
        #expect(location.fix == .threeDimensional)
        #expect((52.46...52.48).contains(try #require(location.latitudeDegrees)))
        #expect((13.38...13.42).contains(try #require(location.longitudeDegrees)))
        #expect((40...56).contains(try #require(location.altitudeMeters)))
        #expect((80...96).contains(try #require(location.ellipsoidHeightMeters)))
        #expect((1...10).contains(try #require(location.horizontalErrorMeters)))
        #expect((1...10).contains(try #require(location.verticalErrorMeters)))
        #expect((0..<360).contains(try #require(location.trackDegrees)))
        #expect((-1...1).contains(try #require(location.climbMetersPerSecond)))
        let used = try #require(location.satellitesUsed)
        #expect((4...(try #require(location.satellitesVisible))).contains(used))
        let satellites = try #require(location.satellites)
        #expect(satellites.count == location.satellitesVisible && satellites.count(where: \.isUsed) == used)
        #expect(satellites.compactMap(\.possible) == satellites)
        #expect(Set(satellites.map(\.prn)).count == satellites.count)
        #expect((0.5...3).contains(try #require(location.horizontalDilution)))
        #expect((0.5...5).contains(try #require(location.verticalDilution)))
    }

    @Test("one seed drives one course, another starts elsewhere")
    func seeded() {
        func drive(seed: UInt64) -> [Location] {
            (0..<50).map { MockTrack(seed: seed).location(atNanoseconds: $0 * Self.second) }
        }
        #expect(drive(seed: 1) == drive(seed: 1))
        #expect(drive(seed: 1) != drive(seed: 2))
    }
}
