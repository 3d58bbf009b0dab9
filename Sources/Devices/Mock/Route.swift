internal import Glibc
internal import Readings

/// A path along great circles from stop to stop.
///
/// Legs are cut into pieces so short that chord and arc have the same length, so that a journey at a given speed has
/// that speed everywhere on the ellipsoid.
public struct Route: Sendable {
    /// A stop: a position and its altitude in metres.
    public typealias Stop = (position: Position, altitudeMeters: Double)

    /// A position on the route, and the direction of the route there.
    struct Place {
        var position: Position
        var altitudeMeters: Double
        var courseDegrees: Double
        /// Metres of climb per metre of way.
        var slope: Double
    }

    private struct Point: Sendable {
        let normal: SIMD3<Double>
        let altitudeMeters: Double
        let atMeters: Double
    }

    /// The length of the route.
    public var lengthMeters: Double { points.last?.atMeters ?? 0 }
    /// The distance of each stop from the start.
    public let stopMeters: [Double]

    private let points: [Point]
    private static let longestPieceMeters = 20_000.0
    private static let mostPieces = 100_000

    /// Creates a route through at least one stop.
    public init(_ stops: [Stop]) {
        var points: [Point] = []
        var stopMeters: [Double] = []
        // Bounds the memory, whatever the number and distance of the stops.
        let mostPieces = max(1, Self.mostPieces / max(1, stops.count))
        for stop in stops {
            Self.extend(&points, to: stop, mostPieces)
            stopMeters.append(points.last?.atMeters ?? 0)
        }
        self.points = points
        self.stopMeters = stopMeters
    }

    /// Whether two positions are opposite to each other, so that there is no shortest path.
    public static func isAmbiguous(_ first: Position, _ second: Position) -> Bool {
        (first.normal * second.normal).sum() < -0.999_999
    }

    /// Creates one lap around a centre, starting north of it.
    public init(around center: Position, radiusMeters: Double, altitudeMeters: Double, isClockwise: Bool) {
        // Pieces of a tenth of a degree, whose chords are shorter than the arcs by less than a millionth.
        self.init(
            (0...3_600).map { index in
                let degrees = Double(isClockwise ? index : 3_600 - index) / 10
                return (center.moved(meters: radiusMeters, degrees: degrees), altitudeMeters)
            })
    }

    /// The position at a distance, which is clamped to the route.
    func place(atMeters meters: Double) -> Place {
        // Never a piece without length.
        let index = points.dropLast().lastIndex(upTo: meters, by: \.atMeters)
        let from = points[index]
        guard index + 1 < points.count else {
            return Place(
                position: Position(normal: from.normal), altitudeMeters: from.altitudeMeters, courseDegrees: 0, slope: 0
            )
        }
        let to = points[index + 1]
        let length = to.atMeters - from.atMeters
        let share = length > 0 ? min(max((meters - from.atMeters) / length, 0), 1) : 0
        let position = Position(normal: from.normal + (to.normal - from.normal) * share)
        let (east, north) = position.compass
        let ahead = to.normal - from.normal
        let course = atan2((ahead * east).sum(), (ahead * north).sum()) * 180 / .pi
        let rise = to.altitudeMeters - from.altitudeMeters
        return Place(
            position: position, altitudeMeters: from.altitudeMeters + rise * share,
            courseDegrees: course < 0 ? course + 360 : course, slope: length > 0 ? rise / length : 0)
    }

    private static func extend(_ points: inout [Point], to stop: Stop, _ mostPieces: Int) {
        guard let last = points.last else {
            points.append(Point(normal: stop.position.normal, altitudeMeters: stop.altitudeMeters, atMeters: 0))
            return
        }
        let end = stop.position.normal
        let cosine = min(max((last.normal * end).sum(), -1), 1)
        // The arc computed from the chord, which stays exact for short arcs.
        let chord = ((end - last.normal) * (end - last.normal)).sum().squareRoot()
        let angle = cosine > 0 ? 2 * asin(min(1, chord / 2)) : acos(cosine)
        // Between opposite positions there is no shortest path: use the chord.
        let isAmbiguous = cosine < -0.999_999
        let pieces = isAmbiguous ? 1 : min(mostPieces - 1, Int(clamping: angle * 6_371_000 / longestPieceMeters)) + 1
        for piece in 1...pieces {
            let share = Double(piece) / Double(pieces)
            let normal =
                angle > 1e-9 && !isAmbiguous
                ? (last.normal * sin((1 - share) * angle) + end * sin(share * angle)) / sin(angle) : end
            let altitude = last.altitudeMeters + (stop.altitudeMeters - last.altitudeMeters) * share
            let before = points[points.count - 1]
            let step =
                Position(normal: normal).earthCentered - Position(normal: before.normal).earthCentered
            points.append(
                Point(
                    normal: normal, altitudeMeters: altitude,
                    atMeters: before.atMeters + (step * step).sum().squareRoot()))
        }
    }
}
