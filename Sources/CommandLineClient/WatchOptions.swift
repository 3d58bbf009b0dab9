internal import BrokerClient

/// What `watch` watches, and for how long.
struct WatchOptions: Equatable {
    /// What is asked of each resource.
    let requests: [Request]
    /// After how many readings it ends.
    let count: Int?
    /// After how long it ends.
    let durationNanoseconds: Int64?

    /// The options of a command line with the operands `RESOURCE[@INTERVAL]...`.
    init(_ operands: [String], _ options: [Option: String]) throws(UsageError) {
        guard !operands.isEmpty else { throw UsageError("watch needs a resource: sensorctl watch accelerometer@100ms") }
        let interval = try Self.interval(options)
        let batch = try options[.batch].map { text throws(UsageError) in try IntervalText.nanoseconds(text) }
        let filter = try options[.filter].map { text throws(UsageError) in try Self.filter(text) }
        let change = try options[.minChange].map { text throws(UsageError) in try Self.minimumChange(text) }
        requests = try Self.requests(operands[...]).map { request in
            var request = request
            request.intervalNanoseconds = request.intervalNanoseconds ?? interval
            request.batchNanoseconds = batch
            request.filter = filter
            request.minimumChange = change
            request.satellites = options[.satellites] != nil
            return request
        }
        count = try options[.count].map { text throws(UsageError) in try Self.count(text) }
        durationNanoseconds = try options[.duration].map { text throws(UsageError) in try Self.duration(text) }
    }

    /// The requests of operands, each of another resource.
    static func requests(_ operands: ArraySlice<String>) throws(UsageError) -> [Request] {
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

    /// Metres or m/s²; which of them follows from the resource.
    private static func minimumChange(_ text: String) throws(UsageError) -> Double {
        let unit = ["m/s²", "m/s2", "m"].first { text.hasSuffix($0) } ?? ""
        let digits = text.dropLast(unit.count)
        guard digits.allSatisfy({ $0.isNumber || $0 == "." }), let value = Double(digits), value.isFinite else {
            throw UsageError("'\(text)' is no change: write it like 5m, or 0.2m/s2 for an acceleration")
        }
        return value
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
