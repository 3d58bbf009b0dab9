internal import Glibc
internal import SensorBroker
internal import Synchronization
internal import Varlink

/// One line of the output: a JSON object.
struct Line {
    private var members: [(String, JSONValue)]

    init(_ event: String) { members = [("event", .string(event))] }

    init(_ event: SensorEvent<Anything>, of resource: ResourceName) {
        switch event {
        case .reading(let reading): self.init("reading", reading)
        case .gap(let gap):
            self.init("gap")
            add("resource", .string(gap.resource.description))
            add("cause", .string(gap.cause.description))
            add("count", gap.count.map { .integer(Int64($0)) })
            add("fromNanoseconds", .integer(gap.from.nanoseconds))
            add("untilNanoseconds", .integer(gap.until.nanoseconds))
        case .state(let state):
            self.init("state")
            add("resource", .string(resource.description))
            add("state", .string(state.name))
            add("reason", state.reason.map { .string($0) })
        case .grant(let grant):
            self.init("grant")
            add("resource", .string(grant.resource.description))
            add("intervalNanoseconds", .integer(Self.nanoseconds(grant.interval)))
            add("batchNanoseconds", .integer(Self.nanoseconds(grant.batch)))
        case .disconnected(let error): self.init("disconnected", error)
        case .refused(let error): self.init("refused", error)
        }
    }

    init(_ event: String, _ reading: Reading<Anything>) {
        self.init(event)
        add("resource", .string(reading.resource.description))
        add("sequence", reading.sequence.map { .integer($0) })
        add("timestampNanoseconds", .integer(reading.timestamp.nanoseconds))
        switch reading.value.measured.measurement {
        case .values(let values):
            let channels = values.kind.row.channels.map(\.description)
            add("values", .object(JSONObject(zip(channels, values.numbers).map { ($0, .number($1)) })))
        case .orientation(let orientation): add("orientation", .string(orientation.rawValue))
        case .location(let location):
            var place = Line("")
            place.members = []
            place.add("fix", .string(location.fix.rawValue))
            place.add("latitudeDegrees", location.coordinate.map { .number($0.latitudeDegrees) })
            place.add("longitudeDegrees", location.coordinate.map { .number($0.longitudeDegrees) })
            place.add("altitudeMeters", location.altitudeMeters.map { .number($0) })
            add("location", .object(JSONObject(place.members)))
        }
    }

    init(_ event: String, _ error: SensorError, call: String? = nil) {
        self.init(event)
        add("error", .string(error.word))
        add("call", call.map { .string($0) })
        if case .noSuchResource(let name) = error { add("resource", .string(name.description)) }
        if case .ended(let reason) = error { add("reason", .string(reason)) }
        add("text", .string("\(error)"))
    }

    init(resources: [SensorResource]) {
        self.init("list")
        let list = resources.map { resource in
            JSONValue.object(
                JSONObject([
                    ("name", .string(resource.name.description)), ("kind", .string(resource.kind?.wire ?? "")),
                    ("state", .string(resource.state.name)),
                ]))
        }
        add("resources", .array(list))
    }

    /// Prints the line; in one call, since several tasks print.
    func print() {
        var writer = JSONWriter()
        writer.value(.object(JSONObject(members)))
        let bytes = writer.bytes + [UInt8(ascii: "\n")]
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append((name, value)) }
    }

    static func nanoseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }
}

extension SensorError {
    /// Its word in the suite.
    fileprivate var word: String {
        switch self {
        case .brokerMissing: "brokerMissing"
        case .brokerStopped: "brokerStopped"
        case .notPermitted, .notAllowed: "notPermitted"
        case .disconnected: "disconnected"
        case .ended: "ended"
        case .noSuchResource: "noSuchResource"
        case .wrongKind: "wrongKind"
        case .resourceUnavailable: "resourceUnavailable"
        case .nameTaken: "nameTaken"
        case .timedOut, .unanswered: "timedOut"
        case .tooManySubscriptions: "tooManySubscriptions"
        case .tooManyRequests: "tooManyRequests"
        case .invalidRequest: "invalidRequest"
        case .unintelligible: "unintelligible"
        case .system: "system"
        case .cancelled: "cancelled"
        case .forked: "forked"
        }
    }
}

/// Whether a stream has failed.
final class Failed: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
