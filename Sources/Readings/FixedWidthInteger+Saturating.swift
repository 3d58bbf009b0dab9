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
