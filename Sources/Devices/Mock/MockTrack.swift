internal import Glibc
internal import Platform
public import Readings

/// The simulated drive of a receiver: a figure of eight on Tempelhof Field in Berlin, ten minutes a lap, with five
/// stops.
///
/// The course is a smooth function of an angle, which is a smooth function of time. Speed, track and climb are
/// therefore exact derivatives of the position; the speed is at most 14 m/s. The seed decides where on the lap the
/// drive starts. Each value depends on the seed and the time alone.
public struct MockTrack: Sendable {
    private static let lapSeconds = 600.0
    private static let stops = 5.0
    private static let halfWidthMeters = 450.0
    private static let halfHeightMeters = 225.0
    private static let hillMeters = 6.0
    private static let center = Position(latitudeDegrees: 52.4730, longitudeDegrees: 13.4030)
    private static let centerAltitudeMeters = 48.0
    private static let geoidHeightMeters = 39.6

    private let seed: UInt64
    private let startSeconds: Double
    private let sky: MockSky

    /// Creates the drive of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        sky = MockSky(seed: seed)
        startSeconds = Double(SplitMix64.number(at: 0, seed: seed) % 600_000) / 1000
    }

    /// The location at a time after the start, without UTC.
    public func location(atNanoseconds nanoseconds: Int64) -> Location {
        // Reduced to one lap, so that the angle stays exact.
        let seconds = (Double(nanoseconds) / 1e9 + startSeconds).truncatingRemainder(dividingBy: Self.lapSeconds)
        let base = 2 * Double.pi / Self.lapSeconds
        // The angle never goes back, and stands still at each stop, where its derivative touches zero.
        let angle = base * seconds + sin(Self.stops * base * seconds) / Self.stops
        let turn = base * (1 + cos(Self.stops * base * seconds))
        var location = Location(fix: .threeDimensional)
        Self.place(&location, angle: angle)
        Self.move(&location, angle: angle, turn: turn)
        receive(&location, seconds: Double(nanoseconds) / 1e9)
        return location
    }

    private static func place(_ location: inout Location, angle: Double) {
        let radii = center.radii
        let north = halfHeightMeters * sin(2 * angle)
        let east = halfWidthMeters * cos(angle)
        location.latitudeDegrees = center.latitudeDegrees + north / radii.along * 180 / .pi
        location.longitudeDegrees =
            center.longitudeDegrees + east / (radii.across * cos(center.latitudeDegrees * .pi / 180)) * 180 / .pi
        let altitude = centerAltitudeMeters + hillMeters * sin(angle)
        location.altitudeMeters = altitude
        location.ellipsoidHeightMeters = altitude + geoidHeightMeters
    }

    private static func move(_ location: inout Location, angle: Double, turn: Double) {
        let north = 2 * halfHeightMeters * cos(2 * angle)
        let east = -halfWidthMeters * sin(angle)
        let track = atan2(east, north) * 180 / .pi
        location.speedMetersPerSecond = (north * north + east * east).squareRoot() * turn
        location.trackDegrees = track < 0 ? track + 360 : track
        location.climbMetersPerSecond = hillMeters * cos(angle) * turn
    }

    // The reception changes slowly: satellites every half minute, errors in a wave.
    private func receive(_ location: inout Location, seconds: Double) {
        let halfMinute = UInt64(clamping: seconds / 30)
        let visible = 11 + Int(SplitMix64.number(at: halfMinute, seed: ~seed) % 5)
        sky.put(into: &location, used: visible - 3, visible: visible, atSeconds: seconds)
        let error = 3.2 + 0.8 * sin(2 * .pi * seconds / 97)
        location.horizontalErrorMeters = error
        location.verticalErrorMeters = error * 1.6
    }
}
