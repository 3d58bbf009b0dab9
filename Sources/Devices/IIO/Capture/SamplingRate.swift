internal import Readings

/// How often a chip samples, in hertz; always usable: finite, positive, and with an interval that fits its type.
struct SamplingRate: Comparable {
    let hertz: Double

    /// A rate from 0.001 Hz to 10 MHz, more than any sensor's range; 0 is what drivers report when it is off.
    init?(hertz: Double) {
        guard hertz.isFinite, (0.001...10_000_000).contains(hertz) else { return nil }
        self.hertz = hertz
    }

    /// Reads the text of an attribute, whatever the locale.
    init?(text: some StringProtocol) {
        guard let hertz = Double(text) else { return nil }
        self.init(hertz: hertz)
    }

    /// The rate of an interval, limited to the range of rates.
    init(intervalNanoseconds: Int64) {
        hertz = 1e9 / Double(min(max(intervalNanoseconds, 100), 1_000_000_000_000))
    }

    /// Nanoseconds from one sample to the next, rounded.
    var intervalNanoseconds: Int64 {
        // At most 1e12, by the bounds of hertz.
        Int64(clamping: (1e9 / hertz).rounded())
    }

    var text: String { hertz.sysfsText }

    static func < (left: Self, right: Self) -> Bool { left.hertz < right.hertz }
}

extension Double {
    /// The number as text for sysfs: no exponent, at most six decimals, none for an integer.
    ///
    /// The kernel reads no exponents and some drivers no decimals. The kernel cuts off further decimals, so they are
    /// cut off here.
    var sysfsText: String {
        guard self >= 0 else { return self < 0 ? "-" + magnitude.sysfsText : "0" }
        let millionths = Int64(clamping: (self * 1e6 + 0.001).rounded(.down))
        let (whole, fraction) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        guard fraction != 0 else { return "\(whole)" }
        var digits = String(String(1_000_000 + fraction).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
