/// The mean of the values that are known.
struct RunningMean {
    private var sum = 0.0
    private var count = 0.0

    mutating func add(_ value: Double?) {
        guard let value else { return }
        sum += value
        count += 1
    }

    /// Unknown where no double holds the sum.
    var value: Double? { count > 0 && sum.isFinite ? sum / count : nil }
}
