public import Readings

/// GPX 1.0 and 1.1: the ways that stand in a file.
///
/// Read are position, height, time, speed, course, fix, satellites and dilutions of each point, wherever in the point an
/// extension (Garmin's, for one) puts them. Everything else is passed over, names and units of unknown extensions too.
public struct GPXReader {
    /// The ways, each unbroken and none empty, with their points in the order in which they stand.
    ///
    /// These are the segments of the tracks; in a file without tracks its routes, else its waypoints as one way.
    public static func paths(_ bytes: [UInt8]) throws(FormatError) -> [[Location]] {
        let contents = try XMLReader.read(bytes, GPXContents())
        guard contents.isGPX else { throw FormatError("this is XML, but no GPX: it does not begin with <gpx>") }
        for ways in [contents.segments, contents.routes, [contents.waypoints]] {
            let paths = ways.filter { !$0.isEmpty }
            guard paths.isEmpty else { return paths }
        }
        throw FormatError("there is no point in it: neither <trkpt> nor <rtept> nor <wpt>")
    }
}

/// What has been read of a GPX file.
struct GPXContents: XMLHandler {
    private(set) var isGPX = false
    private(set) var segments: [[Location]] = []
    private(set) var routes: [[Location]] = []
    private(set) var waypoints: [Location] = []

    private static let longestText = 1_000
    private var point: GPXPoint?
    private var text = ""
    private var isRoot = true

    mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(FormatError) {
        let name = Self.local(name)
        if isRoot { isGPX = name == "gpx" }
        isRoot = false
        text = ""
        switch name {
        case "trkseg": segments.append([])
        case "rte": routes.append([])
        case "trkpt", "rtept", "wpt": point = try GPXPoint(attributes, line: line)
        default: break
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
        guard point != nil else { return }
        switch name {
        case "trkpt": Self.finish(&point, &segments)
        case "rtept": Self.finish(&point, &routes)
        case "wpt":
            if let point { waypoints.append(point.location) }
            point = nil
        default: try point?.take(name, text, line: line)
        }
    }

    private static func finish(_ point: inout GPXPoint?, _ ways: inout [[Location]]) {
        guard let finished = point else { return }
        if ways.isEmpty { ways.append([]) }
        ways[ways.count - 1].append(finished.location)
        point = nil
    }

    private static func local(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: true).last.map { String($0) } ?? name
    }
}
