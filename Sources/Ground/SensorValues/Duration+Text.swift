extension Duration {
    /// The duration in nanoseconds, clamped to what fits.
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in the largest unit that leaves no long fraction, for people: `20 ms`.
    package var text: String {
        let nanoseconds = clampedNanoseconds
        let units: [(name: String, size: Int64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000)]
        for unit in units where nanoseconds.magnitude >= UInt64(unit.size) || nanoseconds == 0 {
            let thousandths = (Double(nanoseconds) / Double(unit.size) * 1_000).rounded()
            guard let whole = Int64(exactly: thousandths) else { break }
            let isWhole = whole % 1_000 == 0
            return "\(isWhole ? "\(whole / 1_000)" : "\(thousandths / 1_000)") \(unit.name)"
        }
        return "\(nanoseconds) ns"
    }

    /// The seconds with so many digits after the point.
    package func seconds(digits: Int) -> String {
        let nanoseconds = clampedNanoseconds
        let fraction = String(nanoseconds.magnitude % 1_000_000_000)
        let padded = String(repeating: "0", count: 9 - fraction.count) + fraction
        return "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / 1_000_000_000).\(padded.prefix(digits))"
    }
}

extension Double {
    /// The number with at most so many digits after the point, for people.
    package func text(digits: Int) -> String {
        var parts = 1.0
        for _ in 0..<digits { parts *= 10 }
        let rounded = (self * parts).rounded() / parts
        // -0.0 would be written as such.
        return "\(rounded == 0 ? 0 : rounded)"
    }
}
