public import Varlink

/// From when to when the readings and gaps of a message are, by CLOCK_BOOTTIME.
public struct MessageSpan: Equatable, Sendable {
    /// The first instant.
    public let first: Int64
    /// The last instant: after it nothing is known.
    public let last: Int64

    /// The span of an object with readings or gaps; nil if it has neither.
    public init?(_ object: JSONObject) {
        var instants: [Int64] = []
        for reading in object.objects("readings") {
            guard let first = reading.integer("timestampNanoseconds") else { continue }
            instants += [first, Self.last(of: reading) ?? first]
        }
        for gap in object.objects("gaps") {
            instants += ["fromNanoseconds", "untilNanoseconds"].compactMap { gap.integer($0) }
        }
        guard let first = instants.min(), let last = instants.max() else { return nil }
        assert(first <= last)
        (self.first, self.last) = (first, last)
    }

    /// When the last sample of a reading was measured: a batch has the instant of each sample, or their period.
    public static func last(of reading: JSONObject) -> Int64? {
        let first = reading.integer("timestampNanoseconds")
        guard let values = reading.object("values") else { return first }
        if case .array(let stamps)? = values["timestampsNanoseconds"], case .integer(let last)? = stamps.last {
            return last
        }
        guard let first, let period = values.integer("periodNanoseconds"),
            case .array(let column)? = values.object("columns")?.members.first?.value
        else { return first }
        let (lasted, overflow) = period.multipliedReportingOverflow(by: Int64(max(0, column.count - 1)))
        let (last, isTooLate) = first.addingReportingOverflow(lasted)
        return overflow || isTooLate ? first : last
    }
}
