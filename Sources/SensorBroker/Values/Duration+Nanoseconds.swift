extension Duration {
    /// In nanoseconds; at the ends of what fits, the end.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
