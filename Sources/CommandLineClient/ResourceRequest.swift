internal import Varlink

/// What the command line asks of one resource.
struct ResourceRequest: Equatable {
    var resource: String
    var intervalNanoseconds: Int64?
    var batchNanoseconds: Int64?
    var filter: String?
    var minimumChange: Double?

    /// A request as it is written: `RESOURCE` or `RESOURCE@INTERVAL`.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let resource = parts.first, !resource.isEmpty else {
            throw UsageError("'\(text)' names no resource: write it like accelerometer or accelerometer@100ms")
        }
        self.resource = String(resource)
        if parts.count == 2 { intervalNanoseconds = try IntervalText.nanoseconds(String(parts[1])) }
    }

    /// The request as the interface has it; what is not asked for is left out.
    var json: JSONValue {
        var object: JSONObject = ["resource": .string(resource)]
        if let intervalNanoseconds { _ = object.append("intervalNanoseconds", .integer(intervalNanoseconds)) }
        if let batchNanoseconds { _ = object.append("batchNanoseconds", .integer(batchNanoseconds)) }
        if let filter { _ = object.append("filter", .string(filter)) }
        if let minimumChange { _ = object.append("minimumChange", .number(minimumChange)) }
        return .object(object)
    }
}
