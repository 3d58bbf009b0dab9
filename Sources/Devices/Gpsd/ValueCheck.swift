internal import Readings

/// Lets the valid values of a report through, and counts the others; NaN is unknown, and neither.
struct ValueCheck {
    /// How many values were not valid.
    private(set) var refused = 0

    /// Something of the report is not valid.
    mutating func refuse(_ count: Int = 1) { refused += count }

    /// A value, if it is valid.
    mutating func valid(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
        if range.contains(value) { return value }
        if !value.isNaN { refuse() }
        return nil
    }

    /// Degrees clockwise from north, if they are valid; 360 is 0.
    mutating func direction(_ degrees: Double) -> Double? {
        valid(degrees, PossibleValues.directions).map { $0 == 360 ? 0 : $0 }
    }
}
