internal import BrokerClient

extension Request {
    /// A request as it is written: `RESOURCE` or `RESOURCE@INTERVAL`.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let resource = parts.first, !resource.isEmpty else {
            throw UsageError("'\(text)' names no resource: write it like accelerometer or accelerometer@100ms")
        }
        self.init(resource: String(resource))
        if parts.count == 2 { intervalNanoseconds = try TimeWords.interval(String(parts[1])) }
    }
}
