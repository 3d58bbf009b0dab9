internal import Spool
internal import Timing

/// Requests of consumers for what they lack, answered at a bounded pace, however many there are.
///
/// Requests for the same epoch of a resource become one, so a flood of them can delay others, but not push them out.
/// Each turn costs one look into one segment; a number that is reported gone is a record in the spool, so that is
/// rationed too.
package struct ResendQueue: Sendable {
    private struct Entry {
        let resource: String
        let epoch: Identity
        let isKnown: Bool
        var numbers = NumberSet()
    }

    /// In the order in which they have their turns.
    private var entries: [Entry] = []
    private var due = Int64.min
    private var allowance = Self.mostReports
    private var refilled = Int64.min

    /// From one look to the next.
    private static let spacingNanoseconds: Int64 = 100_000_000
    /// An entry with more ranges asks for what is between the nearest ones as well.
    private static let mostRanges = 16
    /// How many epochs may be asked for that the spool does not know.
    private static let mostUnknown = 8
    private static let mostEntries = 64
    /// How many losses may be reported at once, and one more each second.
    private static let mostReports = 16
    private static let reportNanoseconds = Nanoseconds.second

    package init() {}

    /// A consumer asks; `isKnown`: whether the spool holds anything of that epoch of the resource.
    package mutating func take(_ request: ResendRequest, isKnown: Bool) {
        if let index = entries.firstIndex(where: { $0.epoch == request.epoch && $0.resource == request.resource }) {
            entries[index].numbers.insert(request.numbers)
            return entries[index].numbers.joinNearest(most: Self.mostRanges)
        }
        guard entries.count < Self.mostEntries,
            isKnown || entries.lazy.filter({ !$0.isKnown }).count < Self.mostUnknown
        else { return }
        var entry = Entry(resource: request.resource, epoch: request.epoch, isKnown: isKnown)
        entry.numbers.insert(request.numbers)
        entries.append(entry)
        assert(entries.count <= Self.mostEntries, "a flood of requests is bounded")
    }

    /// The numbers to look for now, which then are no longer asked for; nil if it is not time, or nobody asks.
    package mutating func next(_ now: Int64) -> ResendRequest? {
        guard now >= due, !entries.isEmpty else { return nil }
        due = now + Self.spacingNanoseconds
        var entry = entries.removeFirst()
        guard let numbers = entry.numbers.ranges.first else { return nil }
        entry.numbers.removeAll(below: numbers.upperBound + 1)
        if !entry.numbers.ranges.isEmpty { entries.append(entry) }
        return ResendRequest(resource: entry.resource, epoch: entry.epoch, numbers: numbers)
    }

    /// When to look next; nil if nobody asks.
    package var deadline: Int64? { entries.isEmpty ? nil : due }

    /// Whether another loss may be reported, which then is.
    package mutating func mayReportLoss(_ now: Int64) -> Bool {
        let (elapsed, overflow) = now.subtractingReportingOverflow(refilled)
        let earned = overflow ? Int64(Self.mostReports) : elapsed / Self.reportNanoseconds
        if earned > 0 {
            allowance = Int(min(Int64(Self.mostReports), Int64(allowance) + earned))
            refilled = overflow || allowance == Self.mostReports ? now : refilled + earned * Self.reportNanoseconds
        }
        guard allowance > 0 else { return false }
        allowance -= 1
        assert((0..<Self.mostReports).contains(allowance), "losses are reported at a bounded pace")
        return true
    }

    /// Nobody waits any more: the connection has ended, and who still lacks something asks again.
    package mutating func clear() { entries = [] }
}
