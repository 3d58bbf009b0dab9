internal import Glibc

/// A way as a map: north is up, and metres are equally long in all directions.
struct TrackMap {
    /// Metres to the east and to the north of the last position.
    private let points: [(east: Double, north: Double)]
    private let west: Double
    private let south: Double
    /// Metres.
    let width: Double
    let height: Double

    private static let metersPerDegree = 111_320.0

    /// The map of positions; nil if there are none.
    init?(_ positions: [(latitude: Double, longitude: Double)]) {
        guard let last = positions.last else { return nil }
        let scale = Self.metersPerDegree * max(0.001, cos(last.latitude * .pi / 180))
        points = positions.map { position in
            // Across the antimeridian the short way.
            let east = (position.longitude - last.longitude + 540).truncatingRemainder(dividingBy: 360) - 180
            return (east * scale, (position.latitude - last.latitude) * Self.metersPerDegree)
        }
        let (easts, norths) = (points.map(\.east), points.map(\.north))
        west = easts.min() ?? 0
        south = norths.min() ?? 0
        (width, height) = ((easts.max() ?? 0) - west, (norths.max() ?? 0) - south)
    }

    /// Metres a dot; what is smaller than a metre is the receiver's noise rather than a way.
    func scale(_ dots: DotCanvas) -> Double {
        max(1, width / Double(max(1, dots.width - 1)), height / Double(max(1, dots.height - 1)))
    }

    /// Draws the way into the middle; the last position has the look `end`.
    func draw(on dots: inout DotCanvas, _ look: Canvas.Look, end: Canvas.Look? = nil) {
        let scale = scale(dots)
        let left = (Double(dots.width - 1) - width / scale) / 2
        let top = (Double(dots.height - 1) - height / scale) / 2
        let places = points.map { point in
            (
                x: Int(exactly: (left + (point.east - west) / scale).rounded()) ?? 0,
                y: Int(exactly: (top + (height - (point.north - south)) / scale).rounded()) ?? 0
            )
        }
        for (from, to) in zip(places, places.dropFirst()) { dots.line(from, to, look) }
        if let last = places.last { dots.set(last.x, last.y, end ?? look) }
    }
}
