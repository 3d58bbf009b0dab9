public import Formats
public import Readings

/// Reads the paths in GPX 1.0 and 1.1.
///
/// It reads position, altitude, time, speed, course, fix, satellites and dilutions of each point; speed and course also from extensions
/// such as Garmin's. Everything else is skipped. The paths are the segments of the tracks; without tracks the routes; else the
/// waypoints as one path. Since waypoints come first in a file, and tracks in any order, it is read twice or more often: to find out what
/// there is, and to read it in the order of time (`GPXPlan`).
///
/// An import takes what is whole: a point without a valid position or time is left out and counted, and a file that was cut off, or was
/// filled up with zeros when the power failed, is read up to there.
public enum GPXReader {
    private typealias Timed = (sample: ImportedSample, line: Int)

    /// Reads the samples of all paths; returns what was left out.
    ///
    /// With an interval, times of the file do not count. When it is known what there is, `begin` gets the number of each pass through
    /// the file, and how many there are.
    public static func read(
        _ content: FileContent, intervalNanoseconds: Int64?, begin: (Int, Int) -> Void = { _, _ in },
        _ take: @escaping ImportedSample.Taker
    ) throws(FormatError) -> ConversionNotes {
        let content = try WideText.decoded(content)
        let (plan, survey) = try plan(content, isTimed: intervalNanoseconds == nil)
        var notes = survey
        var index = 0
        var times = SensorTimes<Timed>(unitsPerSecond: 1_000_000)
        func give(_ timed: (next: [Timed], dropped: [Timed])) throws(FormatError) {
            for one in timed.dropped { notes.leaveOut("point", "not later than the one before", line: one.line) }
            for one in timed.next { try take(one.sample, one.line) }
        }
        func add(_ one: Timed) throws(FormatError) {
            guard let time = one.sample.utcMicroseconds else { return }
            try give(times.add(one, at: time, of: one.sample.sensor))
        }
        for pass in 0..<plan.passCount {
            begin(pass, plan.passCount)
            var held: [(rank: Int, order: Int, timed: Timed)] = []
            _ = try points(content) { (found) throws(FormatError) in
                let place = plan.place(of: found.segment)
                guard found.kind == plan.kind, place.pass == pass, found.point.fault == nil else { return }
                let location = found.point.location.withoutFalsePosition
                var sample = ImportedSample(
                    offsetNanoseconds: 0, measurement: .location(location),
                    utcMicroseconds: location.utcMicroseconds, sensor: place.sensor, piece: found.segment)
                if let intervalNanoseconds {
                    sample.offsetNanoseconds = ImportedSample.offset(index, intervalNanoseconds)
                    index += 1
                    return try take(sample, found.line)
                }
                guard let time = location.utcMicroseconds else { return }
                sample.offsetNanoseconds = plan.offsetNanoseconds(of: time)
                guard let rank = place.rank else { return try add((sample, found.line)) }
                held.append((rank, place.isBackward ? -held.count : held.count, (sample, found.line)))
            }
            for one in held.sorted(by: { ($0.rank, $0.order) < ($1.rank, $1.order) }) { try add(one.timed) }
        }
        try give(times.finish())
        return notes
    }

    /// All paths, unbroken and not empty, with their points in order; one invalid point is an error.
    public static func paths(_ bytes: [UInt8]) throws(FormatError) -> [[Location]] {
        var paths: [[(segment: Int, point: Location)]] = GPXPoints.Kind.allCases.map { _ in [] }
        let malformed = try points(WideText.decoded(FileContent(bytes))) { (found) throws(FormatError) in
            if let fault = found.point.fault { throw fault }
            if let name = found.point.badValues.first {
                throw FormatError(line: found.line, "the <\(name)> of a point is not a decimal number")
            }
            paths[found.kind.rawValue].append((found.segment, found.point.location))
        }
        if let malformed { throw malformed }
        guard let best = paths.last(where: { !$0.isEmpty }) else { throw GPXPoints.none }
        var segments: [[Location]] = []
        var last: Int?
        for (segment, point) in best {
            if segment != last { segments.append([]) }
            segments[segments.count - 1].append(point)
            last = segment
        }
        return segments
    }

    /// Which segments are imported, and which are left out.
    private static func plan(_ content: FileContent, isTimed: Bool) throws(FormatError) -> (GPXPlan, ConversionNotes) {
        var survey = GPXSurvey(isTimed: isTimed)
        let malformed = try points(content) { (found) throws(FormatError) in try survey.add(found) }
        let plan = try survey.plan(malformed)
        return (plan, survey.notes)
    }

    /// Takes all points; returns the error at which the file ceases to be XML, after at least one of them.
    private static func points(
        _ content: FileContent, _ take: @escaping GPXPoints.Taker
    ) throws(FormatError) -> FormatError? {
        try XMLReader.read(content.begin(), GPXPoints(take)).malformed
    }
}

extension Location {
    /// Without a fix there is no position, whatever else is in the file.
    fileprivate var withoutFalsePosition: Location {
        guard fix == .noPosition else { return self }
        var location = self
        (location.latitudeDegrees, location.longitudeDegrees, location.altitudeMeters) = (nil, nil, nil)
        return location
    }
}
