internal import Varlink

/// Readings that should have come and did not.
struct Gap: Equatable {
    /// As it came.
    let object: JSONObject
    let resource: String
    let cause: String
    let count: Int64?
    let fromNanoseconds: Int64
    let untilNanoseconds: Int64

    init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        cause = try parameters.string("cause")
        count = try parameters.optionalInteger("count")
        fromNanoseconds = try parameters.integer("fromNanoseconds")
        untilNanoseconds = try parameters.integer("untilNanoseconds")
    }

    static func all(_ parameters: [Parameters]) throws(VarlinkError) -> [Self] {
        try parameters.map { element throws(VarlinkError) in try Self(element) }
    }

    /// What is missing and why, for people.
    var text: String {
        let missing = count.map { $0 == 1 ? "1 reading" : "\($0) readings" } ?? "some readings"
        let span = untilNanoseconds.subtractingReportingOverflow(fromNanoseconds)
        let during =
            span.overflow || span.partialValue <= 0 ? "" : " in \(IntervalText.text(nanoseconds: span.partialValue))"
        return "gap: \(missing) missing\(during), \(causeText)"
    }

    private var causeText: String {
        switch cause {
        case "slowClient": "because this program takes them too slowly"
        case "deviceOverflow": "because the device's buffer ran over"
        case "deviceLost": "because the device was lost"
        case "reconfigured": "because the device was set to another interval"
        case "released": "because the device was released"
        default: cause.printable
        }
    }
}
