/// How long the turns of the loop took: a histogram with a bucket for each power of two nanoseconds.
///
/// Each turn adds to it, so it costs some instructions only: no allocation, and no clock of its own.
struct TurnTimes {
    /// The first bucket holds turns of up to 2¹⁰ ns, about a microsecond; the last one with a bound, up to 2³⁰ ns, a second.
    static let exponents = 10...30

    // One more for longer turns.
    private var counts = InlineArray<22, Int64>(repeating: 0)
    private(set) var sumNanoseconds: Int64 = 0

    init() {}

    /// Adds a turn; a clock that went back counts as no time.
    mutating func add(nanoseconds: Int64) {
        let time = max(0, nanoseconds)
        counts[Self.bucket(of: time)] &+= 1
        sumNanoseconds &+= time
    }

    /// How many turns took at most 2 to the power of an exponent.
    func count(upTo exponent: Int) -> Int64 {
        (0...max(0, min(exponent, Self.exponents.upperBound) - Self.exponents.lowerBound))
            .reduce(0) { $0 + counts[$1] }
    }

    var count: Int64 { counts.indices.reduce(0) { $0 + counts[$1] } }

    private static func bucket(of time: Int64) -> Int {
        // The exponent of the next power of two: 1,025 needs 11 bits less one.
        let exponent = Int64.bitWidth - max(0, time - 1).leadingZeroBitCount
        return min(max(0, exponent - exponents.lowerBound), exponents.count)
    }
}
