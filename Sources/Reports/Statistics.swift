internal import Readings

/// The count, extremes, mean and deviation of numbers that come one by one; Welford's method.
struct Statistics: Equatable {
    private(set) var count = 0
    private(set) var least = Double.infinity
    private(set) var greatest = -Double.infinity
    private(set) var mean = 0.0
    private var squares = 0.0

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        count += 1
        least = min(least, value)
        greatest = max(greatest, value)
        let distance = value - mean
        mean += distance / Double(count)
        squares += distance * (value - mean)
    }

    /// The standard deviation.
    var deviation: Double { count > 1 ? (squares / Double(count - 1)).squareRoot() : 0 }
}

/// The times between samples, as a histogram whose classes are a hundredth of their size wide.
struct Spacings: Equatable {
    /// Classes of each power of two.
    private static let fine = 64

    private var classes = [Int](repeating: 0, count: 64 * fine)
    private(set) var count = 0
    private(set) var longestNanoseconds: Int64 = 0

    mutating func add(_ nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        classes[Self.place(nanoseconds)] += 1
        count += 1
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// The spacing that a share of all does not exceed, in nanoseconds, within one percent.
    func quantile(_ share: Double) -> Double {
        var rest = Int(clamping: (share * Double(count)).rounded(.up))
        for (place, number) in classes.enumerated() where number > 0 {
            rest -= number
            if rest <= 0 { return min(Self.middle(place), Double(longestNanoseconds)) }
        }
        return Double(longestNanoseconds)
    }

    private static func place(_ nanoseconds: Int64) -> Int {
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let rest = UInt64(nanoseconds) - (1 << UInt64(exponent))
        let fraction = exponent >= 6 ? rest >> UInt64(exponent - 6) : rest << UInt64(6 - exponent)
        return exponent * fine + Int(fraction)
    }

    private static func middle(_ place: Int) -> Double {
        let (exponent, fraction) = place.quotientAndRemainder(dividingBy: fine)
        // Below 64 ns each class is a number.
        let half = exponent >= 6 ? 0.5 : 0
        return Double(UInt64(1) << UInt64(exponent)) * (1 + (Double(fraction) + half) / Double(fine))
    }
}
