/// The numbers between which a value may move without anybody having to know, in the unit of the driver.
///
/// A chip reports an event for a number beyond a limit, not for one at the limit, so the limits are the last numbers
/// that do not matter.
struct EventWindow: Equatable {
    enum Limit { case low, high }

    private(set) var low: Double
    private(set) var high: Double
    private let center: Double
    private let isWhole: Bool

    /// The window around a value: within it, the value has changed by less than `change`, and is still within
    /// `standing`.
    ///
    /// `isWhole`: the numbers are a chip's counts, and so are their limits.
    init(around center: Double, change: Double, isWhole: Bool, standing: ClosedRange<Double>? = nil) {
        // A number that is `change` away lies outside.
        let reach = change * 0.99
        var (low, high) = (center - reach, center + reach)
        if let standing { (low, high) = (max(low, standing.lowerBound), min(high, standing.upperBound)) }
        if isWhole { (low, high) = (low.rounded(.up), high.rounded(.down)) }
        // No chip takes a limit below 0 for something that is never negative.
        self.low = min(max(low, 0), center)
        self.high = max(high, center)
        assert(!(self.low > center) && !(self.high < center), "the window is around the number")
        self.center = center
        self.isWhole = isWhole
    }

    /// Whether a number is none that the chip reports.
    func contains(_ number: Double) -> Bool { number >= low && number <= high }

    /// Brings a limit half-way to the number, for a chip that does not take one so far away; false if it is there
    /// already.
    mutating func narrow(_ limit: Limit) -> Bool {
        let former = self[limit]
        let half = (former - center) / 2
        let isThere = half.magnitude < (isWhole ? 1 : 1e-6)
        let narrowed = isThere ? center : center + (isWhole ? half.rounded(.towardZero) : half)
        if limit == .low { low = narrowed } else { high = narrowed }
        return narrowed != former
    }

    subscript(limit: Limit) -> Double { limit == .low ? low : high }
}
