/// Intervals as people read them: `20 ms`, `1.5 s`.
enum IntervalText {
    /// Nanoseconds in a unit of time, longest unit first.
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("h", 3_600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1),
    ]

    /// An interval in the unit that suits it, with at most three decimals: `20 ms`, `1.5 s`.
    static func text(nanoseconds: Int64) -> String {
        let value = Double(nanoseconds)
        let unit = units.first { abs(value) >= $0.nanoseconds } ?? ("s", 1e9)
        return "\(DecimalText.short(value / unit.nanoseconds, decimals: 3)) \(unit.name)"
    }
}
