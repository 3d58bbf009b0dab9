internal import Mock
internal import Readings

/// Reads a path from a GPX file, with the file's times if it has some.
enum Track {
    static func way(_ name: String, _ files: ScenarioFiles) throws(Refusal) -> LocationDraft.Way {
        let paths = try files.paths(name)
        var altitude = paths.joined().lazy.compactMap(\.altitudeMeters).first ?? 0
        var stops: [Route.Stop] = []
        var times: [Double?] = []
        let start = paths.joined().lazy.compactMap(\.utcMicroseconds).first
        for point in paths.joined() {
            guard let latitude = point.latitudeDegrees, let longitude = point.longitudeDegrees else { continue }
            altitude = point.altitudeMeters ?? altitude
            stops.append((Position(latitudeDegrees: latitude, longitudeDegrees: longitude), altitude))
            times.append(point.utcMicroseconds.map { (Double($0) - Double(start ?? $0)) / 1e6 })
        }
        return .stops(stops, at: schedule(times))
    }

    /// The times at the points; a point without a time is interpolated between its neighbours.
    private static func schedule(_ times: [Double?]) -> LocationDraft.Schedule {
        var whole: [Double] = []
        var untimed = 0
        for time in times {
            guard let time else {
                untimed += 1
                continue
            }
            let last = whole.last ?? time
            guard time >= last else { return .goesBack }
            for index in 0..<untimed { whole.append(last + (time - last) * Double(index + 1) / Double(untimed + 1)) }
            whole.append(time)
            untimed = 0
        }
        guard let last = whole.last, last > 0 else { return .none }
        return .at(whole + Array(repeating: last, count: untimed))
    }
}
