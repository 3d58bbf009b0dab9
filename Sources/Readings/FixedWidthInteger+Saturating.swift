// Counts and stamps come from outside: a sum or a difference of two may not fit, and must not trap.
extension FixedWidthInteger {
    /// The sum, or what comes nearest to it.
    @inlinable package func addingSaturating(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or what comes nearest to it.
    @inlinable package func subtractingSaturating(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}

extension FixedWidthInteger {
    /// The number without its decimals, moved into the range of this type; 0 of what is no number.
    ///
    /// `Int(value)` ends the process where the value is infinite, not a number or too large; `.ci/conversions` finds it.
    @inlinable package init(clamping value: Double) {
        self = Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
