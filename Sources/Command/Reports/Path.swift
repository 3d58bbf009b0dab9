internal import Readings

/// Where a location was, as points in bounded memory: of too many, those are left out that are closest to the one before.
struct Path {
    /// A place at a time.
    struct Point: Equatable {
        let time: Int64
        let latitudeDegrees: Double
        let longitudeDegrees: Double
        /// Whether no line leads here.
        var isBroken: Bool

        func meters(to other: Point) -> Double {
            Geodesic.meters(
                latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees,
                toLatitudeDegrees: other.latitudeDegrees, longitudeDegrees: other.longitudeDegrees)
        }
    }

    private let most: Int
    private(set) var points: [Point] = []
    /// Points closer than this to the one before are left out.
    private(set) var toleranceMeters = 0.0
    /// The length of all ways together, without those across a gap.
    private(set) var lengthMeters = 0.0
    private var latest: Point?
    private var breaksNext = true
    /// Whether a point was left out to which no line leads, so that none leads to the next point either.
    private var breaksKept = false
    private var leavesOutPieces = false

    init(most: Int = 65_536) { self.most = most }

    /// No line leads from the last point to the next one.
    mutating func interrupt() { breaksNext = true }

    mutating func add(latitudeDegrees: Double, longitudeDegrees: Double, at time: Int64) {
        let point = Point(
            time: time, latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees, isBroken: breaksNext)
        if let latest, !breaksNext { lengthMeters += latest.meters(to: point) }
        breaksNext = false
        latest = point
        keep(point)
        while points.count > most {
            toleranceMeters = max(0.5, toleranceMeters * 2)
            let old = points
            points = []
            breaksKept = false
            for point in old { keep(point) }
            // If mostly ends of pieces remain, those are left out too.
            if points.count(where: \.isBroken) > most / 2 { leavesOutPieces = true }
        }
    }

    private mutating func keep(_ point: Point) {
        var point = point
        point.isBroken = point.isBroken || breaksKept
        if let last = points.last, !point.isBroken || leavesOutPieces, toleranceMeters > 0,
            last.meters(to: point) < toleranceMeters
        {
            breaksKept = point.isBroken
            return
        }
        breaksKept = false
        points.append(point)
    }
}
