internal import Formats
internal import Readings

/// In which order the segments of a file are read, and which sensor each belongs to.
///
/// A device writes its newest track first, or people put the tracks of a week into one file in any order. Read in the order of their
/// times they are one recording. Two tracks at the same time are those of two receivers.
struct GPXPlan {
    /// A segment, or a route, with the times of its first and its last point: one wrong time between them does not matter.
    struct Segment {
        /// The segment's index within the file, and that of its track.
        let index: Int
        let way: Int
        private let first: Int64
        private var last: Int64
        /// How many points with a time it has.
        private(set) var count = 1
        /// How many of them are earlier than the one before.
        private var backward = 0

        init(index: Int, way: Int, time: Int64) {
            (self.index, self.way, first, last) = (index, way, time, time)
        }

        /// Adds the time of its next point.
        mutating func add(_ time: Int64) {
            if time < last { backward += 1 }
            (last, count) = (time, count + 1)
        }

        /// Whether its newest point comes first.
        var isBackward: Bool { backward * 4 > (count - 1) * 3 }
        var begin: Int64 { isBackward ? last : first }
        var end: Int64 { isBackward ? first : last }
    }

    /// Where a segment is read.
    struct Place {
        var sensor = 0
        /// The time of reading the file when it is taken.
        var pass = 0
        /// The segment's rank among those of the pass; nil if they are in order in the file.
        var rank: Int?
        /// Whether its points are taken from the last to the first.
        var isBackward = false
    }

    /// Each time that the file is read, segments in the order of the file are taken as they come, or others are held until all of them are
    /// there, with so many points at most.
    private static let mostHeld = 50_000

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
        start = segments.map(\.begin).min() ?? 0
        let sensors = Self.sensors(of: segments)
        let ordered = segments.sorted { ($0.begin, $0.index) < ($1.begin, $1.index) }
        var places: [Int: Place] = [:]
        var passes = 0
        var rest = ordered[...]
        while !rest.isEmpty {
            let (count, isHeld) = Self.pass(rest)
            for (rank, segment) in rest.prefix(count).enumerated() {
                places[segment.index] = Place(
                    sensor: sensors[segment.way] ?? 0, pass: passes, rank: isHeld ? rank : nil,
                    isBackward: segment.isBackward)
            }
            rest = rest.dropFirst(count)
            passes += 1
        }
        (passCount, self.places) = (max(1, passes), places)
    }

    /// How many of these segments are read together, and whether they are held.
    private static func pass(_ segments: ArraySlice<Segment>) -> (count: Int, isHeld: Bool) {
        let forward = segments.prefix { !$0.isBackward }
        let inOrder = zip(forward, forward.dropFirst()).prefix { $0.index < $1.index }.count + min(1, forward.count)
        var (held, points) = (0, 0)
        for segment in segments {
            points += segment.count
            guard points <= mostHeld else { break }
            held += 1
        }
        return held > inOrder ? (held, true) : (max(1, inOrder), false)
    }

    /// Where a segment is read.
    func place(of segment: Int) -> Place { places[segment] ?? Place() }

    /// The time since the first point, clamped to what fits.
    func offsetNanoseconds(of microseconds: Int64) -> Int64 {
        let (nanoseconds, isFar) = (microseconds - start).multipliedReportingOverflow(by: 1_000)
        return isFar ? .max : nanoseconds
    }

    /// The sensor of each track: the first one that has no other track at that time.
    private static func sensors(of segments: [Segment]) -> [Int: Int] {
        var spans: [Int: (first: Int64, last: Int64)] = [:]
        for segment in segments {
            let span = spans[segment.way] ?? (segment.begin, segment.end)
            spans[segment.way] = (min(span.first, segment.begin), max(span.last, segment.end))
        }
        var ends: [Int64] = []
        var sensors: [Int: Int] = [:]
        for (way, span) in spans.sorted(by: { ($0.value.first, $0.key) < ($1.value.first, $1.key) }) {
            // A device that begins a new track may write the last point again.
            let free = ends.firstIndex { $0 < span.first || $0 == span.first && span.first < span.last } ?? ends.count
            if free == ends.count { ends.append(span.last) } else { ends[free] = span.last }
            sensors[way] = free
        }
        return sensors
    }
}

/// The tracks and segments of a file, counted before it is imported.
struct GPXSurvey {
    /// More segments with points are no file of a device.
    private static let mostSegments = 100_000

    private let isTimed: Bool
    private(set) var notes = ConversionNotes()
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
            return segments[last].add(time)
        }
        guard segments.count < Self.mostSegments else {
            throw FormatError(line: found.line, "there are more than \(Self.mostSegments) segments: split the file")
        }
        segments.append(GPXPlan.Segment(index: found.segment, way: found.way, time: time))
    }

    /// The plan, after all points; throws if there is nothing to read.
    mutating func plan(_ malformed: FormatError?) throws(FormatError) -> GPXPlan {
        guard let kind else {
            throw malformed ?? GPXPoints.none
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
