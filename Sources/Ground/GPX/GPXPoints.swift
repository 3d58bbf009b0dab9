internal import Formats

/// Reports the points of a GPX file one by one.
///
/// A point is one only at its place: `trkpt` in a segment, `rtept` in a route, `wpt` in the file, and never in an extension. Names
/// count without their prefixes.
struct GPXPoints: XMLHandler {
    /// The element that contains a point; the last kind in this list has priority.
    enum Kind: Int, Comparable, CaseIterable {
        case waypoint
        case route
        case track

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// A point and its place in the file.
    struct Found {
        let kind: Kind
        /// The index of the track or route that has it.
        let way: Int
        /// The index of the segment or route that has it, within the file.
        let segment: Int
        let point: GPXPoint
        /// The line where it ends.
        let line: Int
    }

    typealias Taker = (Found) throws(FormatError) -> Void

    private static let kinds: [String: (kind: Kind, parents: Set<String>)] = [
        "trkpt": (.track, ["trkseg", "trk"]), "rtept": (.route, ["rte"]), "wpt": (.waypoint, ["gpx"]),
    ]
    private static let longestText = 1_000
    /// The error for a file without any.
    static let none = FormatError("it has no points: neither <trkpt> nor <rtept> nor <wpt>")

    private let take: Taker
    private var ways = (tracks: 0, segments: 0, routes: 0)
    /// The names of the elements that are open.
    private var open: [String] = []
    private var point: (point: GPXPoint, kind: Kind, depth: Int)?
    private var extensionDepth: Int?
    private var text = ""

    init(_ take: @escaping Taker) { self.take = take }

    mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(FormatError) {
        let name = Self.local(name)
        guard !open.isEmpty || name == "gpx" else {
            throw FormatError("this is XML, but not GPX: it does not begin with <gpx>")
        }
        defer { open.append(name) }
        text = ""
        guard extensionDepth == nil else { return }
        switch name {
        case "extensions": extensionDepth = open.count
        case "trk": ways.tracks += 1
        case "trkseg": ways.segments += 1
        case "rte": ways.routes += 1
        default:
            guard point == nil, let found = Self.kinds[name], found.parents.contains(open.last ?? "") else { return }
            point = (GPXPoint(attributes, line: line), found.kind, open.count)
        }
    }

    mutating func text(_ text: String) {
        guard point != nil, self.text.utf8.count < Self.longestText else { return }
        self.text += text
    }

    mutating func end(_ name: String, line: Int) throws(FormatError) {
        let name = Self.local(name)
        let text = text
        self.text = ""
        if !open.isEmpty { open.removeLast() }
        let isExtension = extensionDepth != nil
        if extensionDepth == open.count { extensionDepth = nil }
        guard let finished = point else { return }
        guard finished.depth == open.count else {
            guard isExtension || open.count == finished.depth + 1 else { return }
            point?.point.take(name, text, isExtension ? .inExtension : .own, line: line)
            return
        }
        point = nil
        let (way, segment) =
            switch finished.kind {
            case .track: (ways.tracks, ways.segments)
            case .route: (ways.routes, ways.routes)
            case .waypoint: (0, 0)
            }
        try take(Found(kind: finished.kind, way: way, segment: segment, point: finished.point, line: line))
    }

    private static func local(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.index(after: $0)...]) } ?? name
    }
}
