internal import BrokerClient
internal import Readings
internal import Varlink

/// Reads a recording line by line.
///
/// A session begins with the recorder's header or, in the output of `sensorctl watch`, with the name of a subscription.
/// Each session has its own clocks, since the host may have been rebooted in between.
struct RecordingReader {
    private(set) var tracks: [RecordedTrack] = []
    private(set) var sessions: [RecordedSession] = []
    /// The tracks of the present session, on the recorder's clock.
    private var session: [SessionTrack] = []
    private var clocks: RecordedSession.Clocks?
    private var elapsedNanoseconds: Int64 = 0
    /// What is wrong with the session that ended last.
    private(set) var fault: String?

    mutating func take(_ line: [UInt8]) throws(RecordedLineError) {
        let value: JSONValue
        do { value = try JSONReader.read(line, limits: .replies) } catch {
            throw RecordedLineError("not valid JSON: \(error)")
        }
        guard case .object(let object) = value else { throw RecordedLineError("not a JSON object") }
        do throws(VarlinkError) { try take(Parameters(object)) } catch {
            guard case .invalidParameter(let name) = error else { throw RecordedLineError(error.name) }
            throw RecordedLineError("'\(name)' is missing or invalid")
        }
        if let fault = fault ?? session.lazy.compactMap(\.fault).first { throw RecordedLineError(fault) }
    }

    private mutating func take(_ line: Parameters) throws(VarlinkError) {
        if line.object["sequence"] != nil { return try take(Reading(line)) }
        if let header = try line.optionalObject("recording") { return try begin(header) }
        if line.object["subscription"] != nil, session.contains(where: { $0.hasSamples }) { endSession() }
        // Lines of later versions are skipped.
        if let gap = try line.optionalObject("gap") { try take(Gap(gap)) }
        if let grant = try line.optionalObject("grant") { try take(Grant(grant)) }
        guard let resource = try line.optionalObject("resource") else { return }
        try takeState(of: resource, at: line.optionalInteger("atNanoseconds", in: 0 ... .max))
    }

    private mutating func begin(_ header: Parameters) throws(VarlinkError) {
        endSession()
        guard try header.string("format") == RecordingFormat.name,
            try header.integer("version") <= RecordingFormat.version
        else { throw .invalidParameter("version") }
        let boot = try header.integer("bootNanoseconds")
        let utc = try header.integer("utcMicroseconds")
        clocks = utc > 0 ? RecordedSession.Clocks(bootNanoseconds: boot, utcMicroseconds: utc) : nil
    }

    private mutating func take(_ reading: Reading) throws(VarlinkError) {
        guard reading.sequence >= 0 else { throw .invalidParameter("sequence") }
        switch reading.content {
        case .location(let location, _):
            guard location.isPossible else { throw .invalidParameter("location") }
            try track(reading.resource, .location) { track in
                track.add(.location(location), reading.sequence, at: reading.timestampNanoseconds)
            }
        case .values(let columns):
            // Kinds that this program does not know are skipped.
            guard let kind = try kind(of: reading.resource) else { return }
            guard let rows = columns.values(of: kind) else { throw .invalidParameter("columns") }
            try track(reading.resource, kind) { track in
                for (index, (values, stamp)) in zip(rows, columns.timestampsNanoseconds).enumerated() {
                    let (sequence, overflow) = reading.sequence.addingReportingOverflow(Int64(index))
                    track.add(.values(values), overflow ? .max : sequence, at: stamp)
                }
            }
        case .orientation(let name):
            guard let orientation = Orientation(rawValue: name) else { throw .invalidParameter("orientation") }
            try track(reading.resource, .orientation) { track in
                track.add(.orientation(orientation), reading.sequence, at: reading.timestampNanoseconds)
            }
        // Kinds that this program does not know are skipped; a known kind would have its own form.
        case .unknown:
            guard let kind = try kind(of: reading.resource) else { return }
            throw .invalidParameter(kind.row.form.member)
        }
    }

    /// The kind of a resource: from a line, or else from its name.
    private func kind(of resource: String) throws(VarlinkError) -> Kind? {
        guard let name = ResourceName(resource) else { throw .invalidParameter("resource") }
        let track = session.first { $0.name == name }
        return track?.kind ?? Kind(resource: name.word)
    }

    private mutating func take(_ gap: BrokerClient.Gap) throws(VarlinkError) {
        guard let cause = Readings.Gap.Cause(rawValue: gap.cause) else { return }
        let count = gap.count.map { Int(clamping: max(0, $0)) }
        try track(gap.resource, nil) { track in
            track.add(
                Readings.Gap(
                    cause: cause, count: count, from: BootTime(nanoseconds: gap.fromNanoseconds),
                    until: BootTime(nanoseconds: max(gap.fromNanoseconds, gap.untilNanoseconds))))
        }
    }

    private mutating func take(_ grant: Grant) throws(VarlinkError) {
        let isDecimated = grant.intervalNanoseconds > 0
        let asked = isDecimated ? grant.intervalNanoseconds : grant.deviceIntervalNanoseconds
        guard let asked, (1...Recording.longestNanoseconds).contains(asked) else { return }
        try track(grant.resource, nil) { track in track.add(intervalNanoseconds: asked, isDecimated: isDecimated) }
    }

    private mutating func takeState(of resource: Parameters, at instant: Int64?) throws(VarlinkError) {
        let reason = try resource.optionalString("reason") ?? "the recording does not say why"
        let state: ResourceState? =
            switch try resource.string("state") {
            case "starting": .starting
            case "active": .active
            case "stale": .stale(reason: reason)
            case "unavailable": .unavailable(reason: reason)
            case "released": .released
            // Whether there were subscriptions does not matter in a replay.
            default: nil
            }
        try track(resource.string("name"), Kind(wire: resource.string("kind"))) { track in
            if let state { track.add(state, at: instant) }
        }
    }

    /// The track of a resource, created when a line states its kind; before that, its lines are skipped.
    private mutating func track(
        _ text: String, _ kind: Kind?, _ act: (inout SessionTrack) -> Void
    ) throws(VarlinkError) {
        guard let name = ResourceName(text) else { throw .invalidParameter("resource") }
        if let index = session.firstIndex(where: { $0.name == name }) {
            guard kind == nil || session[index].kind == nil || session[index].kind == kind else {
                throw .invalidParameter("resource")
            }
            session[index].kind = session[index].kind ?? kind
            return act(&session[index])
        }
        guard session.count < Recording.maximumTracks else { throw .invalidParameter("resource") }
        var track = SessionTrack(name: name, kind: kind)
        act(&track)
        session.append(track)
    }

    /// Appends the session to those before.
    mutating func endSession() {
        defer { (session, clocks) = ([], nil) }
        for index in session.indices { session[index].end() }
        guard let start = session.compactMap(\.start).min() else { return }
        guard elapsedNanoseconds < Recording.longestNanoseconds else {
            return fault = "its sessions together last too long"
        }
        let ends = session.compactMap(\.events.last?.offsetNanoseconds)
        guard ends.allSatisfy({ $0 < start || $0 - start < Recording.longestNanoseconds }) else {
            return fault = "the times of its resources are years apart"
        }
        let isFirst = tracks.isEmpty
        let base = isFirst ? 0 : elapsedNanoseconds + Recording.pauseNanoseconds
        for part in session {
            guard let kind = part.kind, !part.events.isEmpty else { continue }
            let events = part.events(from: start, movedTo: base, asFirst: isFirst)
            elapsedNanoseconds = max(elapsedNanoseconds, events.last?.offsetNanoseconds ?? 0)
            append(events, to: part.name, kind)
        }
        sessions.append(RecordedSession(clocks: clocks, offsetNanoseconds: base, startNanoseconds: start))
    }

    private mutating func append(_ events: [RecordedEvent], to name: ResourceName, _ kind: Kind) {
        let index = tracks.firstIndex { $0.name == name }
        if index == nil { tracks.append(RecordedTrack(name: name, kind: kind)) }
        let place = index ?? tracks.count - 1
        // Another kind under the same name is another sensor; it does not change the first one's track.
        guard tracks[place].kind == kind else { return }
        tracks[place].events += events
        tracks[place].sampleCount += events.count { if case .sample = $0.content { true } else { false } }
    }
}

extension KindRow.Form {
    /// The member of a reading that contains the measurement.
    fileprivate var member: String {
        switch self {
        case .location: "location"
        case .values: "values"
        case .orientation: "orientation"
        }
    }
}

/// Why a line is invalid.
struct RecordedLineError: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

extension Location {
    /// Whether the values are possible.
    ///
    /// A file may be written by any program; the broker only delivers possible values.
    var isPossible: Bool {
        func fits(_ value: Double?, _ range: ClosedRange<Double>) -> Bool { value.map { range.contains($0) } ?? true }
        return fits(latitudeDegrees, -90...90) && fits(longitudeDegrees, -180...180) && fits(trackDegrees, 0...360)
            && (latitudeDegrees == nil) == (longitudeDegrees == nil)
            && (satellitesUsed ?? 0) >= 0 && (satellitesVisible ?? 0) >= 0
    }
}
