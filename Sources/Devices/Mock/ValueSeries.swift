package import Readings

/// Given values, recorded or written down.
public struct ValueSeries: Sendable {
    private let offsets: [Int64]
    private let values: [SIMD4<Double>]
    private let isRepeated: Bool
    /// What lies between two values.
    private let rule: KindRow.Mean

    /// The number of values.
    public var count: Int { values.count }
    /// The duration; 0 if there is one value a sample.
    public var seconds: Double { Double(offsets.last ?? 0) / 1e9 }

    /// Creates a series with one value a sample.
    package init(_ values: [Values], isRepeated: Bool) {
        offsets = []
        self.values = values.map(\.vector)
        self.isRepeated = isRepeated
        rule = values.first?.kind.row.mean ?? .newest
    }

    /// Creates a series of values at increasing times from 0 on, in nanoseconds; between them the rule of their kind applies.
    package init(_ samples: [(offsetNanoseconds: Int64, values: Values)], isRepeated: Bool) {
        offsets = samples.map(\.offsetNanoseconds)
        values = samples.map(\.values.vector)
        self.isRepeated = isRepeated
        rule = samples.first?.values.kind.row.mean ?? .newest
    }

    func value(at instant: MockScript.Instant) -> SIMD4<Double> {
        guard let last = values.last else { return .zero }
        guard let end = offsets.last else {
            let index = max(0, instant.index)
            let count = Int64(values.count)
            return index < count || isRepeated ? values[Int(index % count)] : last
        }
        var elapsed = max(0, instant.elapsedNanoseconds)
        if isRepeated {
            // Going back from the last value to the first takes as long as the last step.
            let step = offsets.count > 1 ? end - offsets[offsets.count - 2] : 1
            elapsed %= end &+ max(1, step)
        }
        guard elapsed < end else {
            guard isRepeated, offsets.count > 1 else { return last }
            let step = end - offsets[offsets.count - 2]
            return between(last, values[0], Double(elapsed - end) / Double(step))
        }
        let low = offsets.dropLast().lastIndex(upTo: elapsed) { $0 }
        let share = Double(elapsed - offsets[low]) / Double(offsets[low + 1] - offsets[low])
        return between(values[low], values[low + 1], share)
    }

    /// A value holds until the next one if there is nothing between them.
    private func between(_ first: SIMD4<Double>, _ second: SIMD4<Double>, _ share: Double) -> SIMD4<Double> {
        rule.between(first, second, at: share) ?? first
    }
}
