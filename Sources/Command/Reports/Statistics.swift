internal import Readings

/// The count, extremes, mean and deviation of numbers that come one by one, by the rule of their kind.
struct Statistics: Equatable {
    private let rule: KindRow.Mean
    private(set) var count = 0
    private var numbers = Moments()
    private var directions = DirectionMean()
    private var arc = Arc()

    init(_ rule: KindRow.Mean = .arithmetic) { self.rule = rule }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        count += 1
        if case .circular = rule {
            directions.add(value)
            arc.add(value)
        } else {
            numbers.add(value)
        }
    }

    /// The ends: of directions, those of the shortest arc clockwise that holds them all; nil if they are all around.
    var extremes: (least: Double, greatest: Double)? {
        guard count > 0 else { return nil }
        if case .circular = rule { return arc.ends }
        return (numbers.least, numbers.greatest)
    }

    /// The mean; nil if there is none, as of what is near or not.
    var mean: Double? {
        switch rule {
        case .arithmetic: count > 0 ? numbers.mean : nil
        case .circular: directions.degrees
        // That of a rotation is one of all its numbers together.
        case .newest, .spherical: nil
        }
    }

    /// The standard deviation; nil where there is no mean.
    var deviation: Double? {
        switch rule {
        case .arithmetic: count > 0 ? numbers.deviation : nil
        case .circular: directions.deviationDegrees
        case .newest, .spherical: nil
        }
    }
}

/// The extremes, the mean and the deviation of numbers; Welford's method.
private struct Moments: Equatable {
    private(set) var least = Double.infinity
    private(set) var greatest = -Double.infinity
    private(set) var mean = 0.0
    private var count = 0
    private var squares = 0.0

    mutating func add(_ value: Double) {
        count += 1
        least = min(least, value)
        greatest = max(greatest, value)
        let distance = value - mean
        mean += distance / Double(count)
        squares += distance * (value - mean)
    }

    var deviation: Double { count > 1 ? (squares / Double(count - 1)).squareRoot() : 0 }
}

/// Where on the circle directions are, degree by degree.
private struct Arc: Equatable {
    /// Directions that leave no arc free of at least so many degrees are all around.
    private static let leastFree = 30.0

    private var least = [Double](repeating: .infinity, count: 360)
    private var greatest = [Double](repeating: -.infinity, count: 360)

    mutating func add(_ degrees: Double) {
        let degrees = Direction.turned(degrees)
        guard let index = Int(exactly: degrees.rounded(.down)), least.indices.contains(index) else { return }
        least[index] = min(least[index], degrees)
        greatest[index] = max(greatest[index], degrees)
    }

    /// What the widest free arc leaves.
    var ends: (least: Double, greatest: Double)? {
        let taken = least.indices.filter { least[$0].isFinite }
        guard let first = taken.first, let last = taken.last else { return nil }
        var (widest, ends) = (least[first] + 360 - greatest[last], (least[first], greatest[last]))
        for (before, after) in zip(taken, taken.dropFirst()) where least[after] - greatest[before] > widest {
            (widest, ends) = (least[after] - greatest[before], (least[after], greatest[before]))
        }
        return widest >= Self.leastFree ? ends : nil
    }
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
        classes[Self.index(nanoseconds)] += 1
        count += 1
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// The spacing that a share of all does not exceed, in nanoseconds, within one percent.
    func quantile(_ share: Double) -> Double {
        var rest = Int(clamping: (share * Double(count)).rounded(.up))
        for (index, number) in classes.enumerated() where number > 0 {
            rest -= number
            if rest <= 0 { return min(Self.middle(index), Double(longestNanoseconds)) }
        }
        return Double(longestNanoseconds)
    }

    private static func index(_ nanoseconds: Int64) -> Int {
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let rest = UInt64(nanoseconds) - (1 << UInt64(exponent))
        let fraction = exponent >= 6 ? rest >> UInt64(exponent - 6) : rest << UInt64(6 - exponent)
        return exponent * fine + Int(fraction)
    }

    private static func middle(_ index: Int) -> Double {
        let (exponent, fraction) = index.quotientAndRemainder(dividingBy: fine)
        // Below 64 ns each class is a number.
        let half = exponent >= 6 ? 0.5 : 0
        return Double(UInt64(1) << UInt64(exponent)) * (1 + (Double(fraction) + half) / Double(fine))
    }
}
