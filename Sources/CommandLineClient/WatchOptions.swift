internal import BrokerClient

/// What `watch` watches, and for how long.
struct WatchOptions: Equatable {
    /// What is asked of each resource.
    let requests: [Request]
    /// After how many readings it ends.
    let count: Int?
    /// After how long it ends.
    let durationNanoseconds: Int64?
    /// Whether it reconnects after the broker has gone away.
    let reconnecting: Reconnecting
    /// Whether everything that the broker sends is shown.
    let isVerbose: Bool

    /// The options of a command line with the operands `RESOURCE[@INTERVAL]...`.
    init(_ operands: [String], _ options: [Option: String]) throws(UsageError) {
        guard !operands.isEmpty else { throw UsageError("watch needs a resource: sensorctl watch accelerometer@100ms") }
        requests = try Self.requests(operands[...], options)
        count = try options[.count].map { text throws(UsageError) in try Self.count(text) }
        reconnecting = try Reconnecting(options)
        isVerbose = options[.verbose] != nil
        durationNanoseconds = try options[.duration].map { text throws(UsageError) in try Self.duration(text) }
    }

    /// The requests of operands, each for a different resource, with the options that apply to all of them.
    static func requests(
        _ operands: ArraySlice<String>, _ options: [Option: String]
    ) throws(UsageError) -> [Request] {
        let interval = try Self.interval(options)
        let batch = try options[.batch].map { text throws(UsageError) in try IntervalText.nanoseconds(text) }
        let filter = try options[.filter].map { text throws(UsageError) in try Self.filter(text) }
        let change = try options[.minChange].map { text throws(UsageError) in try MinimumChange(text) }
        return try named(operands).map { request throws(UsageError) in
            var request = request
            request.intervalNanoseconds = request.intervalNanoseconds ?? interval
            request.batchNanoseconds = batch
            request.filter = filter
            request.minimumChange = try change?.value(for: request.resource)
            request.satellites = options[.satellites] != nil
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
        switch (options[.interval], options[.rate]) {
        case (nil, nil): return nil
        case (let interval?, nil): return try IntervalText.nanoseconds(interval)
        case (nil, let rate?): return try IntervalText.nanoseconds(rate: rate)
        default: throw UsageError("--interval and --rate say the same thing: give one of them")
        }
    }

    private static func filter(_ text: String) throws(UsageError) -> String {
        guard ["newest", "mean"].contains(text) else { throw UsageError("'\(text)' is no filter: newest or mean") }
        return text
    }

    private static func count(_ text: String) throws(UsageError) -> Int {
        guard let count = Int(text), count > 0 else { throw UsageError("--count needs a number from 1, not '\(text)'") }
        return count
    }

    private static func duration(_ text: String) throws(UsageError) -> Int64 {
        let duration = try IntervalText.nanoseconds(text)
        guard duration > 0 else { throw UsageError("--for needs a time, like 10s") }
        return duration
    }
}
