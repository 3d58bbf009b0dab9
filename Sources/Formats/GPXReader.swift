public import Readings

/// GPX 1.0 and 1.1: the ways that stand in a file.
///
/// Read are position, height, time, speed, course, fix, satellites and dilutions of each point, wherever in the point an
/// extension (Garmin's, for one) puts them. Everything else is passed over, names and units of unknown extensions too. The
/// ways are the segments of the tracks; in a file without tracks its routes, else its waypoints as one way. Since these come
/// first in a file, it is read twice: to see what there is, and to take it.
public enum GPXReader {
    /// The samples of all ways; returns what was passed over, a line for people each.
    public static func read(
        _ content: FileContent, intervalNanoseconds: Int64?, _ take: @escaping ImportedSample.Taker
    ) throws(FormatError) -> [String] {
        let wanted = try kind(content)
        var sequence = LocationSequence(intervalNanoseconds: intervalNanoseconds)
        try points(content) { (kind, _, location, line) throws(FormatError) in
            guard kind == wanted, let sample = sequence.sample(of: location) else { return }
            try take(sample, line)
        }
        return try sequence.finish()
    }

    /// The ways, each unbroken and none empty, with their points in the order in which they stand.
    public static func paths(_ bytes: [UInt8]) throws(FormatError) -> [[Location]] {
        let content = FileContent(bytes)
        let wanted = try kind(content)
        var paths: [Int: [Location]] = [:]
        try points(content) { (kind, path, location, _) throws(FormatError) in
            if kind == wanted { paths[path, default: []].append(location) }
        }
        return paths.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Of which kind the ways are.
    private static func kind(_ content: FileContent) throws(FormatError) -> GPXPoints.Kind {
        var best: GPXPoints.Kind?
        try points(content) { (kind, _, _, _) throws(FormatError) in best = max(best ?? kind, kind) }
        guard let best else { throw FormatError("there is no point in it: neither <trkpt> nor <rtept> nor <wpt>") }
        return best
    }

    private static func points(_ content: FileContent, _ take: @escaping GPXPoints.Taker) throws(FormatError) {
        try XMLReader.read(content.begin(), GPXPoints(take))
    }
}

/// The points of a GPX file, told one by one.
struct GPXPoints: XMLHandler {
    /// What a point is of; the last one counts most.
    enum Kind: Int, Comparable {
        case waypoints
        case route
        case track

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Takes a point: of which kind, of which way of that kind, counted, and at which line it ends.
    typealias Taker = (Kind, Int, Location, Int) throws(FormatError) -> Void

    private static let kinds: [String: Kind] = ["trkpt": .track, "rtept": .route, "wpt": .waypoints]
    private static let longestText = 1_000

    private let take: Taker
    private var ways = (segments: 0, routes: 0)
    private var point: GPXPoint?
    private var text = ""
    private var isRoot = true

    init(_ take: @escaping Taker) { self.take = take }

    mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(FormatError) {
        let name = Self.local(name)
        guard !isRoot || name == "gpx" else {
            throw FormatError("this is XML, but no GPX: it does not begin with <gpx>")
        }
        isRoot = false
        text = ""
        if name == "trkseg" { ways.segments += 1 }
        if name == "rte" { ways.routes += 1 }
        if Self.kinds[name] != nil { point = try GPXPoint(attributes, line: line) }
    }

    mutating func text(_ text: String) {
        guard point != nil, self.text.utf8.count < Self.longestText else { return }
        self.text += text
    }

    mutating func end(_ name: String, line: Int) throws(FormatError) {
        let name = Self.local(name)
        let text = text
        self.text = ""
        guard let finished = point else { return }
        guard let kind = Self.kinds[name] else {
            try point?.take(name, text, line: line)
            return
        }
        point = nil
        let way =
            switch kind {
            case .track: ways.segments
            case .route: ways.routes
            case .waypoints: 0
            }
        try take(kind, way, finished.location, line)
    }

    private static func local(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: true).last.map { String($0) } ?? name
    }
}
