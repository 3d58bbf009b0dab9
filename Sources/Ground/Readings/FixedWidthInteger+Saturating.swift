// Arithmetic that clamps instead of trapping, for counts and timestamps from outside.
extension FixedWidthInteger {
    /// The sum, clamped to the range.
    @inlinable package func addingSaturating(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, clamped to the range.
    @inlinable package func subtractingSaturating(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}

extension FixedWidthInteger {
    /// The integral part, clamped to the range; 0 for NaN.
    ///
    /// `Int(value)` ends the process if the value is infinite, NaN or too large; `.ci/conversions` detects that.
    @inlinable package init(clamping value: Double) {
        self = Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
