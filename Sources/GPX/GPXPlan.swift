internal import Formats
internal import Readings

/// In which order the segments of a file are read, and which sensor each belongs to.
///
/// A device writes its newest track first, or people put the tracks of a week into one file in any order. Read in the order of their
/// times they are one recording. Two tracks at the same time are those of two receivers.
struct GPXPlan: Equatable {
    /// A segment, or a route, with the times of its first and its last point: one wrong time between them does not matter.
    struct Segment: Equatable {
        /// Its index within the file, and that of its track.
        let index: Int
        let way: Int
        var first: Int64
        var last: Int64
    }

    private struct Place: Equatable {
        let sensor: Int
        let pass: Int
    }

    /// The file is read once for each run of segments that are in order; with more runs the rest stays in the order of the file.
    private static let mostPasses = 200

    let kind: GPXPoints.Kind
    /// How often the file is read.
    let passCount: Int
    private let start: Int64
    private let places: [Int: Place]

    /// Plans a file without times, which is read in its order.
    init(kind: GPXPoints.Kind) { (self.kind, passCount, start, places) = (kind, 1, 0, [:]) }

    /// Plans the order of segments with times.
    init(kind: GPXPoints.Kind, _ segments: [Segment]) {
        self.kind = kind
        start = segments.map(\.first).min() ?? 0
        let sensors = Self.sensors(of: segments)
        var places: [Int: Place] = [:]
        var (pass, before) = (0, Int.min)
        let ordered = segments.sorted { ($0.first, $0.index) < ($1.first, $1.index) }
        for segment in ordered {
            if segment.index < before, pass < Self.mostPasses - 1 { pass += 1 }
            before = segment.index
            places[segment.index] = Place(sensor: sensors[segment.way] ?? 0, pass: pass)
        }
        (passCount, self.places) = (pass + 1, places)
    }

    /// The sensor of a segment, and the time of reading the file when it is taken.
    func place(of segment: Int) -> (sensor: Int, pass: Int) {
        places[segment].map { ($0.sensor, $0.pass) } ?? (0, 0)
    }

    /// The time since the first point, clamped to what fits.
    func offsetNanoseconds(of microseconds: Int64) -> Int64 {
        let (distance, overflow) = microseconds.subtractingReportingOverflow(start)
        let (nanoseconds, isFar) = distance.multipliedReportingOverflow(by: 1_000)
        return overflow || isFar ? (microseconds < start ? .min / 2 : .max) : nanoseconds
    }

    /// The sensor of each track: the first one that has no other track at that time.
    private static func sensors(of segments: [Segment]) -> [Int: Int] {
        var spans: [Int: (first: Int64, last: Int64)] = [:]
        for segment in segments {
            let span = spans[segment.way] ?? (segment.first, segment.last)
            spans[segment.way] = (min(span.first, segment.first), max(span.last, segment.last))
        }
        var ends: [Int64] = []
        var sensors: [Int: Int] = [:]
        for (way, span) in spans.sorted(by: { ($0.value.first, $0.key) < ($1.value.first, $1.key) }) {
            let free = ends.firstIndex { $0 < span.first } ?? ends.count
            if free == ends.count { ends.append(span.last) } else { ends[free] = span.last }
            sensors[way] = free
        }
        return sensors
    }
}

/// What there is in a file, found out before it is imported.
struct GPXSurvey {
    /// More segments with points are no file of a device.
    private static let mostSegments = 100_000

    private let isTimed: Bool
    private(set) var notes = ImportNotes()
    private var counts = Array(repeating: 0, count: GPXPoints.Kind.allCases.count)
    /// The segments of the best kind so far.
    private var kind: GPXPoints.Kind?
    private var segments: [GPXPlan.Segment] = []
    private var firstFault: FormatError?
    /// Of the best kind: points with errors, and those without a time.
    private var faults = 0
    private var timeless = (count: 0, line: 0)
    private var badValues: [(name: String, count: Int, line: Int)] = []

    init(isTimed: Bool) { self.isTimed = isTimed }

    mutating func add(_ found: GPXPoints.Found) throws(FormatError) {
        counts[found.kind.rawValue] += 1
        if found.kind > kind ?? found.kind || kind == nil {
            kind = found.kind
            (segments, firstFault, faults, timeless, badValues) = ([], nil, 0, (0, 0), [])
        }
        guard found.kind == kind else { return }
        if let fault = found.point.fault {
            firstFault = firstFault ?? fault
            faults += 1
            return
        }
        for name in found.point.badValues {
            if let known = badValues.firstIndex(where: { $0.name == name }) {
                badValues[known].count += 1
            } else {
                badValues.append((name, 1, found.line))
            }
        }
        guard let time = found.point.location.utcMicroseconds else {
            timeless = (timeless.count + 1, timeless.count == 0 ? found.line : timeless.line)
            return
        }
        try extend(found, to: time)
    }

    private mutating func extend(_ found: GPXPoints.Found, to time: Int64) throws(FormatError) {
        if let last = segments.indices.last, segments[last].index == found.segment {
            segments[last].last = time
            return
        }
        guard segments.count < Self.mostSegments else {
            throw FormatError(line: found.line, "there are more than \(Self.mostSegments) segments: split the file")
        }
        segments.append(GPXPlan.Segment(index: found.segment, way: found.way, first: time, last: time))
    }

    /// The plan, after all points; throws if there is nothing to read.
    mutating func plan(_ malformed: FormatError?) throws(FormatError) -> GPXPlan {
        guard let kind else {
            throw malformed ?? FormatError("it has no points: neither <trkpt> nor <rtept> nor <wpt>")
        }
        let count = counts[kind.rawValue]
        if let firstFault, faults == count { throw firstFault }
        guard !isTimed || !segments.isEmpty else {
            throw FormatError("it contains no times; give the time between its points: --interval 1s")
        }
        noteOmissions(besides: kind)
        if let malformed { notes.remark("\(malformed): everything before that was read") }
        return isTimed ? GPXPlan(kind: kind, segments) : GPXPlan(kind: kind)
    }

    private mutating func noteOmissions(besides kind: GPXPoints.Kind) {
        if isTimed { notes.leaveOut("point", "without a time", line: timeless.line, count: timeless.count) }
        notes.leaveOut("point", "whose position or time is not valid", line: firstFault?.line, count: faults)
        for value in badValues {
            notes.leaveOut("value", "of <\(value.name)>, not a number", line: value.line, count: value.count)
        }
        let words = [
            (GPXPoints.Kind.waypoint, "waypoint", "beside the \(kind == .track ? "tracks" : "routes")"),
            (.route, "route point", "beside the tracks"),
        ]
        for (other, noun, reason) in words where other < kind {
            notes.leaveOut(noun, reason, count: counts[other.rawValue])
        }
    }
}
