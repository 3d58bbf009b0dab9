internal import BrokerClient

/// What `record` records, where, and for how long.
struct RecordOptions: Equatable {
    /// What is asked of each resource; none: every sample of all resources.
    let requests: [Request]
    /// Where it goes.
    let path: String
    /// After how many readings it ends.
    let count: Int?
    /// After how long it ends.
    let durationNanoseconds: Int64?
    /// The file grows no longer than this.
    let maximumBytes: Int64?

    /// The options of a command line with the operands `[RESOURCE[@INTERVAL]]... FILE`.
    init(_ operands: [String], _ options: [Option: String]) throws(UsageError) {
        guard let path = operands.last, !Self.isResource(path) else {
            throw UsageError(
                "record needs a file to write to: sensorctl record accelerometer@10ms FILE; "
                    + "a file that is named like a resource is written ./NAME")
        }
        guard path != "-" else {
            throw UsageError("record writes a file; for a pipe there is: sensorctl watch RESOURCE --format json")
        }
        self.path = path
        let resources = Array(operands.dropLast())
        // One parser for both: what is asked of a stream is the same.
        let watch = try WatchOptions(resources.isEmpty ? ["all"] : resources, options)
        requests =
            resources.isEmpty
            ? []
            : watch.requests.map { request in
                var request = request
                request.intervalNanoseconds = request.intervalNanoseconds ?? 0
                return request
            }
        if resources.isEmpty,
            let option = [Option.interval, .rate, .batch, .filter, .minChange].first(where: { options[$0] != nil })
        {
            throw UsageError(
                "\(option.text) of which resource? Without names, every sample of all resources is recorded")
        }
        count = watch.count
        durationNanoseconds = watch.durationNanoseconds
        maximumBytes = try options[.maxSize].map { text throws(UsageError) in try SizeText.bytes(text) }
    }

    /// `accelerometer@10ms`, `location`: what somebody writes who has forgotten the file.
    private static func isResource(_ text: String) -> Bool {
        if text.contains("@") { return !text.contains("/") && (try? Request(text)) != nil }
        return ["location", "accelerometer", "orientation"].contains(
            text.split(separator: ":").first.map { String($0) })
    }
}
