/// The mean of the values that are known.
struct RunningMean {
    private var sum = 0.0
    private var count = 0.0

    mutating func add(_ value: Double?) {
        guard let value else { return }
        sum += value
        count += 1
    }

    var value: Double? { count > 0 ? sum / count : nil }
}
