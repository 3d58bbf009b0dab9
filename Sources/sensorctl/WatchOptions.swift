internal import BrokerClient
internal import Readings

extension Command {
    static let watch = Self(
        name: "watch", summary: "Print readings as they arrive, until Ctrl-C",
        operands: [Operand(name: "RESOURCE", completion: .resources, isRepeated: true, takesInterval: true)],
        options: Option.ofRequests + [.count, .duration, .satellites, .utc, .verbose, .reconnect, .noReconnect],
        description: [
            "Among the readings, shows gaps with their causes, states of the resources, and granted intervals that "
                + "differ from the requested ones. With `--verbose`, the first line has the name of the subscription, "
                + "with which `sensorctl set` can change it."
        ],
        examples: [
            ("sensorctl watch location@1s accelerometer@50Hz", "two resources, each at an interval of its own"),
            (
                "sensorctl watch accelerometer --rate 1kHz --batch 100ms --format json --count 5000",
                "5000 readings for a program, gathered for 100 ms"
            ),
            (
                "sensorctl watch location --min-change 5m --for 10min --format csv > track.csv",
                "a table of ten minutes, with a row every five metres"
            ),
            (
                "sensorctl watch gyroscope@100Hz accelerometer location --align-to gyroscope --format csv",
                "a table with the values of three sensors at the same times"
            ),
            ("sensorctl watch orientation", "a line each time another edge of the device is up"),
        ]
    ) { invocation throws(UsageError) in try WatchOptions(invocation) }
}

/// The options of `watch`.
struct WatchOptions: Action, Equatable {
    /// The request for each resource.
    let requests: [Request]
    /// The number of readings after which it ends.
    let count: Int?
    /// The time after which it ends.
    let durationNanoseconds: Int64?
    /// Whether it reconnects after the broker has gone away.
    let reconnecting: Reconnecting
    /// Whether everything that the broker sends is shown.
    let isVerbose: Bool

    /// How readings are shown.
    let format: OutputFormat
    /// Whether text shows times in UTC instead of local time.
    let isUTC: Bool

    /// Reads a command line.
    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options
        requests = try Self.stream(invocation.operands[...], options)
        count = try Self.count(options)
        durationNanoseconds = try Self.duration(options)
        reconnecting = Reconnecting(options)
        isVerbose = invocation.has(.verbose)
        format = invocation.format
        isUTC = invocation.has(.utc)
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var command = WatchCommand(self, terminal)
        try command.run(broker)
    }

    /// The requests of a new stream.
    static func stream(_ operands: ArraySlice<String>, _ options: [Option: String]) throws(UsageError) -> [Request] {
        let requests = try Self.requests(operands, options)
        guard let lead = options[.alignTo] else { return requests }
        guard requests.contains(where: { $0.resource == lead }) else {
            throw UsageError("--align-to \(lead): name \(lead) among the resources too")
        }
        for request in requests where request.alignTo != nil {
            if Kind(resource: request.resource.word)?.row.mean == .newest {
                throw UsageError("\(request.resource) cannot be aligned: nothing lies between two of its values")
            }
            if request.minimumChange != nil {
                throw UsageError("--min-change leaves out readings that --align-to needs: leave out one of the two")
            }
        }
        return requests
    }

    /// The requests of operands, each for a different resource, with the options that apply to all of them.
    static func requests(
        _ operands: ArraySlice<String>, _ options: [Option: String]
    ) throws(UsageError) -> [Request] {
        let interval = try Self.interval(options)
        let batch = try options[.batch].map { text throws(UsageError) in try TimeWords.nanoseconds(text) }
        let change = try options[.minChange].map { text throws(UsageError) in try MinimumChange(text) }
        return try named(operands).map { request throws(UsageError) in
            var request = request
            request.intervalNanoseconds = request.intervalNanoseconds ?? interval
            request.batchNanoseconds = batch
            request.filter = options[.filter]
            request.minimumChange = try change?.value(for: request.resource)
            request.satellites = options[.satellites] != nil
            request.alignTo = options[.alignTo] == request.resource ? nil : options[.alignTo]
            return request
        }
    }

    private static func named(_ operands: ArraySlice<String>) throws(UsageError) -> [Request] {
        var requests: [Request] = []
        for operand in operands {
            let request = try Request(operand)
            guard !requests.contains(where: { $0.resource == request.resource }) else {
                throw UsageError("\(request.resource) is named twice; one stream has one interval for it")
            }
            requests.append(request)
        }
        return requests
    }

    private static func interval(_ options: [Option: String]) throws(UsageError) -> Int64? {
        if let interval = options[.interval] { return try TimeWords.interval(interval) }
        return try options[.rate].map { text throws(UsageError) in try TimeWords.interval(rate: text) }
    }

    /// Reads `--count`.
    static func count(_ options: [Option: String]) throws(UsageError) -> Int? {
        guard let text = options[.count] else { return nil }
        guard let count = Int(text), count > 0 else { throw UsageError("--count needs a number from 1, not '\(text)'") }
        return count
    }

    /// Reads `--for`.
    static func duration(_ options: [Option: String]) throws(UsageError) -> Int64? {
        try options[.duration].map { text throws(UsageError) in try TimeWords.positive(text, .duration) }
    }
}

extension Request {
    /// Reads `RESOURCE` or `RESOURCE@INTERVAL`.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let resource = parts.first, !resource.isEmpty else {
            throw UsageError("'\(text)' names no resource: write it like accelerometer or accelerometer@100ms")
        }
        self.init(resource: String(resource))
        if parts.count == 2 { intervalNanoseconds = try TimeWords.interval(String(parts[1])) }
    }
}
