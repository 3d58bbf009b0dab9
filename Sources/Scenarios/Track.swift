internal import Formats
internal import Mock
internal import Readings

/// A way out of a GPX file: at the file's own times where it has some.
enum Track {
    static func way(_ name: String, _ files: ScenarioFiles) throws(Refusal) -> LocationDraft.Way {
        let paths = try files.read(name) { (bytes) throws(FormatError) in try GPXReader.paths(bytes) }
        var altitude = paths.joined().lazy.compactMap(\.altitudeMeters).first ?? 0
        var stops: [Route.Stop] = []
        var times: [Double]? = []
        var start: Int64?
        for point in paths.joined() {
            guard let latitude = point.latitudeDegrees, let longitude = point.longitudeDegrees else { continue }
            altitude = point.altitudeMeters ?? altitude
            stops.append((Position(latitudeDegrees: latitude, longitudeDegrees: longitude), altitude))
            guard let time = point.utcMicroseconds else {
                times = nil
                continue
            }
            let first = start ?? time
            start = first
            let (passed, overflow) = time.subtractingReportingOverflow(first)
            // One whose times go back has none that could be gone by.
            if overflow || Double(passed) / 1e6 < times?.last ?? 0 { times = nil }
            times?.append(Double(passed) / 1e6)
        }
        if let last = times?.last, last <= 0 { times = nil }
        return .stops(stops, isTimed: times)
    }
}
