/// A set of numbers, kept as ranges: what is acknowledged, what has arrived, what is lost.
public struct NumberSet: Equatable, Sendable {
    /// Disjoint, not adjacent, in order.
    public private(set) var ranges: [ClosedRange<UInt64>] = []

    /// The empty set.
    public init() {}

    /// Adds a number.
    public mutating func insert(_ number: UInt64) { insert(number...number) }

    /// Adds a range.
    public mutating func insert(_ range: ClosedRange<UInt64>) {
        // The usual case: what follows the newest.
        if let last = ranges.last, range.lowerBound > last.upperBound {
            if range.lowerBound == last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...range.upperBound
            } else {
                ranges.append(range)
            }
            return
        }
        let start = index(of: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var end = start
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= (merged.upperBound == .max ? .max : merged.upperBound + 1) {
            merged =
                min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [merged])
        assert(start == 0 || ranges[start - 1].upperBound + 1 < merged.lowerBound, "ranges are apart, in order")
        assert(start + 1 == ranges.count || merged.upperBound + 1 < ranges[start + 1].lowerBound)
    }

    /// Removes all numbers below one.
    public mutating func removeAll(below bound: UInt64) {
        let index = index(of: bound)
        ranges.removeFirst(index)
        if let first = ranges.first, first.lowerBound < bound { ranges[0] = bound...first.upperBound }
        assert(ranges.first.map { $0.lowerBound >= bound } ?? true)
    }

    /// Adds what is between the nearest ranges, until there are at most so many.
    public mutating func joinNearest(most: Int) {
        while ranges.count > max(1, most) {
            let gaps = ranges.indices.dropFirst().map { ranges[$0].lowerBound - ranges[$0 - 1].upperBound }
            let nearest = gaps.indices.min { gaps[$0] < gaps[$1] } ?? 0
            ranges[nearest] = ranges[nearest].lowerBound...ranges[nearest + 1].upperBound
            ranges.remove(at: nearest + 1)
        }
    }

    /// Whether a number is in it.
    public func contains(_ number: UInt64) -> Bool { contains(number...number) }

    /// Whether all numbers of a range are in it.
    public func contains(_ range: ClosedRange<UInt64>) -> Bool {
        let index = index(of: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// The first number from one on that is not in it.
    public func firstMissing(from number: UInt64) -> UInt64 {
        let index = index(of: number)
        guard index < ranges.count, ranges[index].lowerBound <= number else { return number }
        return ranges[index].upperBound == .max ? .max : ranges[index].upperBound + 1
    }

    /// What of a range is not in it.
    public func missing(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        var missing: [ClosedRange<UInt64>] = []
        var next = range.lowerBound
        for known in ranges[index(of: range.lowerBound)...] {
            if known.lowerBound > range.upperBound { break }
            if known.lowerBound > next { missing.append(next...known.lowerBound - 1) }
            guard known.upperBound < range.upperBound else { return missing }
            next = max(next, known.upperBound + 1)
        }
        return missing + [next...range.upperBound]
    }

    /// The index of the first range that does not end below a number.
    private func index(of number: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
