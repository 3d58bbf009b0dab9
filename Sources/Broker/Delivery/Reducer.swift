internal import Readings

/// Makes one reading of the samples since the last reading.
struct Reducer {
    private let filter: Filter
    private(set) var newest: Sample?
    private var mean = Mean()

    init(_ filter: Filter) { self.filter = filter }

    mutating func add(_ sample: Sample) {
        newest = sample
        if filter == .mean { mean.add(sample) }
    }

    /// The reading of the samples that were added since the last call; nil if there are none.
    mutating func reduce() -> Sample? {
        defer { newest = nil }
        guard filter == .mean else { return newest }
        defer { mean = Mean() }
        return mean.sample
    }

    mutating func clear() { _ = reduce() }
}
