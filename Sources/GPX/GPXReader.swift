public import Formats
public import Readings

/// Reads the paths in GPX 1.0 and 1.1.
///
/// It reads position, altitude, time, speed, course, fix, satellites and dilutions of each point, also from extensions
/// such as Garmin's. Everything else is skipped, including unknown extensions. The paths are the segments of the
/// tracks; without tracks the routes; else the waypoints as one path. Since waypoints come first in a file, it is read
/// twice: to find out which kind it has, and to read that.
public enum GPXReader {
    /// Reads the samples of all paths; returns a message for each thing that was skipped.
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

    /// All paths, unbroken and not empty, with their points in order.
    public static func paths(_ bytes: [UInt8]) throws(FormatError) -> [[Location]] {
        let content = FileContent(bytes)
        let wanted = try kind(content)
        var paths: [Int: [Location]] = [:]
        try points(content) { (kind, path, location, _) throws(FormatError) in
            if kind == wanted { paths[path, default: []].append(location) }
        }
        return paths.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The kind of paths in the file.
    private static func kind(_ content: FileContent) throws(FormatError) -> GPXPoints.Kind {
        var best: GPXPoints.Kind?
        try points(content) { (kind, _, _, _) throws(FormatError) in best = max(best ?? kind, kind) }
        guard let best else { throw FormatError("it has no points: neither <trkpt> nor <rtept> nor <wpt>") }
        return best
    }

    private static func points(_ content: FileContent, _ take: @escaping GPXPoints.Taker) throws(FormatError) {
        try XMLReader.read(content.begin(), GPXPoints(take))
    }
}

/// Reports the points of a GPX file one by one.
struct GPXPoints: XMLHandler {
    /// The element that contains a point; the last kind in this list has priority.
    enum Kind: Int, Comparable {
        case waypoints
        case route
        case track

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Receives a point: its kind, the index of its path within that kind, the location, and the line where it ends.
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
            throw FormatError("this is XML, but not GPX: it does not begin with <gpx>")
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
