internal import BrokerClient
internal import Readings
internal import Varlink

/// Reads the lines of a recording one after the other: what each one has, and of which resource.
///
/// A session begins with the recorder's header or, in the output of `sensorctl watch`, with the name of a subscription.
/// A line may state what a resource measures; later lines of the session must agree. If an earlier session stated
/// something else, it was another sensor under the same name, and is passed over.
struct LineDecoder {
    /// The resources so far, in order of first appearance; events have their numbers.
    private(set) var resources: [RecordingStream.Resource] = []
    /// Samples that were left out: nothing states what they measure, or it is another thing than in an earlier session.
    private(set) var unknownSamples = 0
    /// Samples that were left out: those of other resources that a reading carries, since it is aligned.
    private(set) var alignedSamples = 0

    /// The clocks of the session, and the instant in its latest header.
    private var clocks: RecordedClocks?
    private var begunNanoseconds: Int64?
    private static let mostOtherCauses = 16
    private static let longestCause = 64
    private var plain = PlainLine()
    /// What the lines of the session state.
    private var stated: [RecordingStream.Resource] = []
    /// Intervals of resources of which nothing states yet what they measure.
    private var early: [(name: ResourceName, nanoseconds: Int64, isDecimated: Bool)] = []
    private var hasSamples = false
    /// Causes of gaps that no broker reports.
    private var otherCauses: Set<String> = []
    private var events: [RecordingStream.Event] = []

    /// The sample of a line in the usual form; nil if the line has another one.
    mutating func sample(in bytes: [UInt8], _ range: Range<Int>) -> RecordingStream.Event? {
        guard let sample = plain.event(in: bytes, range, resources) else { return nil }
        hasSamples = true
        return sample
    }

    /// The events of a line, in order.
    mutating func events(in bytes: [UInt8], _ range: Range<Int>) throws(RecordedLineError) -> [RecordingStream.Event] {
        guard !range.isEmpty else { return [] }
        let line = Array(bytes[range])
        let value: JSONValue
        do { value = try JSONReader.read(line, limits: .replies) } catch {
            throw RecordedLineError("not valid JSON: \(error)", isOfHeader: RecordingFormat.mayBeHeader(line))
        }
        guard case .object(let object) = value else { throw RecordedLineError("not a JSON object") }
        defer { events = [] }
        do throws(VarlinkError) { try take(Parameters(object)) } catch {
            let isOfHeader = object["sequence"] == nil && object["recording"] != nil
            guard case .invalidParameter(let name) = error else {
                throw RecordedLineError(error.name, isOfHeader: isOfHeader)
            }
            throw RecordedLineError("'\(name)' is missing or invalid", isOfHeader: isOfHeader)
        }
        return events
    }

    private mutating func take(_ line: Parameters) throws(VarlinkError) {
        if line.object["sequence"] != nil { return try take(Reading(line)) }
        if let header = try line.optionalObject("recording") { return try take(header: header) }
        if line.object["subscription"] != nil, hasSamples { begin(nil) }
        // Lines of later versions are skipped.
        if let gap = try line.optionalObject("gap") { try take(BrokerClient.Gap(gap)) }
        if let grant = try line.optionalObject("grant") { try take(Grant(grant)) }
        guard let resource = try line.optionalObject("resource") else { return }
        let state = try ResourceState(resource)
        guard let kind = try Kind(wire: resource.string("kind")),
            let number = try number(of: resource.string("name"), kind), let state
        else { return }
        events.append(
            .state(
                resource: number, state, atNanoseconds: try line.optionalInteger("atNanoseconds", in: 0 ... .max)))
    }

    /// In a further file of a recorder the session goes on, unless its former file is not there or the clock was set.
    private mutating func take(header: Parameters) throws(VarlinkError) {
        let clocks = try RecordedClocks(header)
        let former = try header.optionalInteger("continuesNanoseconds")
        defer { begunNanoseconds = clocks?.bootNanoseconds }
        if let former, former == begunNanoseconds, let clocks, let known = self.clocks, clocks.agrees(with: known) {
            return
        }
        begin(clocks)
    }

    private mutating func begin(_ clocks: RecordedClocks?) {
        events.append(.session(clocks))
        (self.clocks, begunNanoseconds) = (clocks, nil)
        (stated, early, hasSamples) = ([], [], false)
        for number in resources.indices { resources[number].isAnother = false }
    }

    private mutating func take(_ reading: Reading) throws(VarlinkError) {
        guard reading.sequence >= 0 else { throw .invalidParameter("sequence") }
        guard reading.timestampNanoseconds >= 0 else { throw .invalidParameter("timestampNanoseconds") }
        hasSamples = true
        alignedSamples += reading.aligned.count { $0.alignment != "absent" } * reading.sampleCount
        switch reading.content {
        case .location(let location, _):
            guard location.isPossible else { throw .invalidParameter("location") }
            try add(.location(location), of: reading, .location)
        case .orientation(let name):
            guard let orientation = Orientation(rawValue: name) else { throw .invalidParameter("orientation") }
            try add(.orientation(orientation), of: reading, .orientation)
        case .values(let columns):
            guard let kind = try kind(of: reading.resource) else { return unknownSamples += reading.sampleCount }
            guard let rows = columns.values(of: kind) else { throw .invalidParameter("columns") }
            guard let number = try number(of: reading.resource, kind) else {
                return unknownSamples += reading.sampleCount
            }
            for (index, (values, stamp)) in zip(rows, columns.timestampsNanoseconds).enumerated() {
                guard stamp >= 0 else { throw .invalidParameter("timestampsNanoseconds") }
                let sequence = reading.sequence.addingSaturating(Int64(index))
                events.append(
                    .sample(resource: number, sequence: sequence, atNanoseconds: stamp, .values(values)))
            }
        // Kinds that this program does not know are left out; a known kind would have its own form.
        case .unknown:
            guard let kind = try kind(of: reading.resource) else { return unknownSamples += 1 }
            throw .invalidParameter(kind.row.form.member)
        }
    }

    private mutating func add(_ measurement: Measurement, of reading: Reading, _ kind: Kind) throws(VarlinkError) {
        guard let number = try number(of: reading.resource, kind) else { return unknownSamples += 1 }
        events.append(
            .sample(
                resource: number, sequence: reading.sequence, atNanoseconds: reading.timestampNanoseconds, measurement))
    }

    private mutating func take(_ gap: BrokerClient.Gap) throws(VarlinkError) {
        guard let number = try number(of: gap.resource) else { return }
        guard gap.fromNanoseconds >= 0 else { throw .invalidParameter("fromNanoseconds") }
        let missing = Readings.Gap(
            cause: Readings.Gap.Cause(rawValue: gap.cause) ?? .slowClient,
            count: gap.count.map { Int(clamping: max(0, $0)) },
            from: BootTime(nanoseconds: gap.fromNanoseconds),
            until: BootTime(nanoseconds: max(gap.fromNanoseconds, gap.untilNanoseconds)))
        events.append(.gap(resource: number, missing, cause: word(gap.cause)))
    }

    /// A cause in its own word; anybody may have written the file, so those that no broker reports are few.
    private mutating func word(_ cause: String) -> String {
        if Readings.Gap.Cause(rawValue: cause) != nil || otherCauses.contains(cause) { return cause }
        guard otherCauses.count < Self.mostOtherCauses, cause.utf8.count <= Self.longestCause else { return "other" }
        otherCauses.insert(cause)
        return cause
    }

    private mutating func take(_ grant: Grant) throws(VarlinkError) {
        let isDecimated = grant.intervalNanoseconds > 0
        let asked = isDecimated ? grant.intervalNanoseconds : grant.deviceIntervalNanoseconds
        guard let asked, (1...Recording.longestNanoseconds).contains(asked) else { return }
        if let number = try number(of: grant.resource) {
            events.append(.interval(resource: number, nanoseconds: asked, isDecimated: isDecimated))
        } else if let name = ResourceName(grant.resource), early.count < Recording.maximumTracks {
            early.append((name, asked, isDecimated))
        }
    }

    /// What a resource measures: by a line, or else by its name.
    private func kind(of resource: String) throws(VarlinkError) -> Kind? {
        guard let name = ResourceName(resource) else { throw .invalidParameter("resource") }
        return (stated.first { $0.name == name } ?? resources.first { $0.name == name })?.kind
            ?? Kind(resource: name.word)
    }

    /// The number of a resource that a line states, or implies; nil if it is passed over.
    private mutating func number(of text: String, _ stated: Kind? = nil) throws(VarlinkError) -> Int? {
        let implied = try kind(of: text)
        guard let kind = stated ?? implied, let name = ResourceName(text) else { return nil }
        if let stated {
            if let known = self.stated.first(where: { $0.name == name }) {
                guard known.kind == stated else { throw .invalidParameter("resource") }
            } else {
                guard self.stated.count < Recording.maximumTracks else { throw .invalidParameter("resource") }
                self.stated.append(RecordingStream.Resource(name: name, kind: stated))
            }
        }
        if let number = resources.firstIndex(where: { $0.name == name }) {
            resources[number].isAnother = resources[number].kind != kind
            return resources[number].isAnother ? nil : number
        }
        guard resources.count < Recording.maximumTracks else { throw .invalidParameter("resource") }
        resources.append(RecordingStream.Resource(name: name, kind: kind))
        let number = resources.count - 1
        for interval in early where interval.name == name {
            events.append(
                .interval(
                    resource: number, nanoseconds: interval.nanoseconds, isDecimated: interval.isDecimated))
        }
        early.removeAll { $0.name == name }
        return number
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
    /// Whether it begins a session, or did before it was damaged.
    let isOfHeader: Bool

    init(_ words: String, isOfHeader: Bool = false) { (self.words, self.isOfHeader) = (words, isOfHeader) }
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

extension ResourceState {
    /// The state of a recorded resource; nil for one that only states whether there were subscriptions.
    init?(_ resource: Parameters) throws(VarlinkError) {
        let reason = try resource.optionalString("reason") ?? "the recording does not say why"
        switch try resource.string("state") {
        case "starting": self = .starting
        case "active": self = .active
        case "stale": self = .stale(reason: reason)
        case "unavailable": self = .unavailable(reason: reason)
        case "released": self = .released
        default: return nil
        }
    }
}
