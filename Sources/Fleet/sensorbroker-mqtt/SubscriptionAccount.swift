internal import Fleet
internal import Varlink

/// Up to where a stream is known, and what is missing of it that the broker does not report.
///
/// A gap begins after the last reading, or the end of the last gap. What the broker had gathered when it died, or measured
/// while it hung, came after that. It ends before the first reading that comes, but no later than where the new stream began,
/// since from there on the broker reports what is missing.
struct SubscriptionAccount {
    private let resource: String
    /// The gap that is to be reported; nil: nothing is missing.
    private var missing: BridgeGap?
    /// The newest reply with readings or gaps, as the broker wrote it: few want to know its times.
    private var newest: [UInt8]?
    /// Up to where it is known without that reply.
    private var known: Int64?
    /// When the stream began; nil: there is none.
    private var began: Int64?
    /// When a gap is reported that no reading has ended.
    private(set) var deadline: Int64?

    init(_ resource: String, missing: BridgeGap?) { (self.resource, self.missing) = (resource, missing) }

    /// Takes a reply; the gap that is to be reported before it, if there is one.
    ///
    /// `object` has its parameters, if they are known: then it may have neither readings nor gaps.
    mutating func take(_ reply: [UInt8], _ now: Int64, with object: JSONObject? = nil) -> [UInt8]? {
        if began == nil {
            began = now
            if missing == nil { known = known ?? now } else { deadline = now }
        }
        if let object, object["readings"] == nil, object["gaps"] == nil { return nil }
        newest = reply
        guard missing != nil, let span = Self.span(reply) else { return nil }
        return close(before: span.first)
    }

    /// The gap, if it is not to be expected any more that a reading ends it.
    mutating func overdue(_ now: Int64, patienceNanoseconds patience: Int64) -> [UInt8]? {
        guard missing != nil, let began else { return nil }
        deadline = began + patience
        return now >= began + patience ? close(before: .max) : nil
    }

    mutating func end(_ now: Int64) {
        if let span = newest.flatMap(Self.span) { known = max(known ?? span.last, span.last) }
        missing = missing ?? BridgeGap(.brokerLost, since: known ?? now)
        (newest, began, deadline) = (nil, nil, nil)
    }

    private mutating func close(before first: Int64) -> [UInt8]? {
        guard let gap = missing, let began else { return nil }
        let until = min(max(first, 1) - 1, began)
        (missing, deadline) = (nil, nil)
        known = max(gap.since, until)
        assert(missing == nil && known ?? 0 >= gap.since, "a gap is reported once, and what is known only grows")
        return Wire.gap(gap, of: resource, until: until)
    }

    private static func span(_ reply: [UInt8]) -> MessageSpan? {
        guard case .success(let parameters, _)? = try? Reply(parsing: reply) else { return nil }
        return MessageSpan(parameters.object)
    }
}
