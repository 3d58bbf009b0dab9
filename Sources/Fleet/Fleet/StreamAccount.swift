internal import Spool

/// What a consumer has of one stream in one epoch, what was reported as lost, and what is missing.
struct StreamAccount {
    private(set) var seen = NumberSet()
    private(set) var repeated: UInt64 = 0
    private(set) var gaps: UInt64 = 0
    /// The newest number, as far as it was reported.
    private(set) var newest: UInt64 = 0
    /// The first number that came at its time, and what follows from the first status after we came.
    private(set) var firstLive: UInt64?
    private(set) var firstReported: UInt64?
    /// Where it ended, as the next epoch reported; nil: it did not.
    private(set) var end: (last: UInt64, isUnknown: Bool)?
    /// Whether the host reported its last number as it ended in order.
    private var hasEndedInOrder = false
    private var lost: [String: NumberSet] = [:]

    /// How much room it takes, in ranges.
    var entries: Int { 4 + seen.ranges.count + lost.values.reduce(0) { $0 + $1.ranges.count } }

    /// A number arrived; false if it had before.
    mutating func arrive(_ number: UInt64, isLate: Bool) -> Bool {
        assert(number > 0, "numbers begin with 1")
        if firstLive == nil, !isLate { firstLive = number }
        guard !seen.contains(number) else {
            repeated += 1
            return false
        }
        seen.insert(number)
        return true
    }

    mutating func count(gaps more: Int) { gaps += UInt64(more) }

    /// The host, or a message, reported that there is this number.
    mutating func reach(_ number: UInt64) { newest = max(newest, number) }

    /// The next epoch has reported where this one ended.
    mutating func end(_ former: FleetMessage.Former) { end = (former.last, former.isEndUnknown) }

    /// The host ends in order, and its newest number is the last.
    mutating func endInOrder() { hasEndedInOrder = true }

    /// Whether there was something of it, and where it ended was not reported.
    var lacksEnd: Bool { end == nil && !hasEndedInOrder && (newest > 0 || !seen.ranges.isEmpty) }

    /// Whether its end is known, and all up to that came or was reported as lost.
    var isWhole: Bool { !lacksEnd && doubt == nil && missing(from: 1).isEmpty }

    /// What speaks against the end that was reported; nil: nothing.
    var doubt: StreamDoubt? {
        guard let end else { return nil }
        if let newest = seen.ranges.last?.upperBound, newest > end.last { return .contradicted(end.last, by: newest) }
        return end.isUnknown ? .unknown : nil
    }

    /// The first status of the host after we came.
    mutating func begin(after last: UInt64) { if firstReported == nil { firstReported = last + 1 } }

    mutating func lose(_ numbers: ClosedRange<UInt64>, _ cause: String) {
        lost[cause, default: NumberSet()].insert(numbers)
    }

    /// These came before we came; what is missing before a number is expected, too.
    mutating func resume(_ numbers: NumberSet, after last: UInt64?) {
        for range in numbers.ranges { seen.insert(range) }
        if let last { (firstLive, newest) = (1, max(newest, last)) }
    }

    /// The first number from one on that neither arrived nor was reported as lost.
    func firstUnknown(from number: UInt64) -> UInt64 {
        var number = number
        while true {
            let next = lost.values.reduce(seen.firstMissing(from: number)) { $1.firstMissing(from: $0) }
            if next == number { return number }
            number = next
        }
    }

    /// What never came and was not reported as lost, from a number on.
    func missing(from first: UInt64) -> [ClosedRange<UInt64>] {
        guard first <= newest else { return [] }
        var ranges = seen.missing(in: first...newest)
        for reported in lost.values { ranges = ranges.flatMap { reported.missing(in: $0) } }
        return ranges
    }

    /// Why numbers did not come, as far as it was reported: parts of them, in order.
    func causes(of numbers: ClosedRange<UInt64>) -> [(numbers: ClosedRange<UInt64>, cause: String?)] {
        var rest = [numbers]
        var parts: [(numbers: ClosedRange<UInt64>, cause: String?)] = []
        for (cause, reported) in lost.sorted(by: { $0.key < $1.key }) {
            let left = rest.flatMap { reported.missing(in: $0) }
            var unreported = NumberSet()
            for range in left { unreported.insert(range) }
            parts += rest.flatMap { unreported.missing(in: $0) }.map { ($0, cause) }
            rest = left
        }
        return (parts + rest.map { ($0, nil) }).sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
    }

    /// How many of the numbers that there are arrived.
    var arrived: UInt64 {
        seen.ranges.filter { $0.lowerBound <= newest }
            .reduce(0) { $0.adding($1.lowerBound...min($1.upperBound, newest)) }
    }

    /// What was reported as lost and did not come nevertheless, by cause.
    var losses: [LossSummary] {
        lost.sorted { $0.key < $1.key }.flatMap { cause, numbers in
            numbers.ranges.filter { $0.lowerBound <= newest }
                .flatMap { seen.missing(in: $0.lowerBound...min($0.upperBound, newest)) }
                .map { LossSummary(cause: cause, numbers: $0) }
        }
    }
}

/// Why it is not proved that a stream of an epoch is complete.
package enum StreamDoubt: Equatable, Sendable {
    /// The host does not know where it ended.
    case unknown
    /// The host reports that it ended with a number, but a later one came.
    case contradicted(UInt64, by: UInt64)
    /// The epoch is over, and nothing that came states where the stream ended.
    case unreported
}
