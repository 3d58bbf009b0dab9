internal import BrokerClient
internal import Readings

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
        if operands.last == "-" {
            throw UsageError("record writes a file; for a pipe there is: sensorctl watch RESOURCE --format json")
        }
        guard let path = operands.last, Self.isFile(path) else {
            throw UsageError(
                "record needs a file to write to: sensorctl record accelerometer@10ms drive.ndjson; "
                    + "a file whose name has no point in it is written ./NAME")
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

    /// Whether somebody who writes this means a file.
    ///
    /// A bare word may be a resource that is mistyped, or that another broker has, with the file forgotten: it would be a file
    /// with that name, full of every sample of everything.
    private static func isFile(_ text: String) -> Bool {
        if text.contains("/") { return true }
        return text.contains(".") && !text.contains("@") && ResourceName(text) == nil
    }
}
