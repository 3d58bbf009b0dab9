/// Counts the midnights between times of day whose dates are unknown.
struct Midnights {
    private static let halfDayMicroseconds: Int64 = 43_200_000_000

    /// How many have passed.
    private(set) var count: Int64 = 0
    private var last: Int64?

    /// Goes on to a time of day in microseconds; returns whether a midnight lies before it.
    @discardableResult
    mutating func pass(to time: Int64) -> Bool {
        let isNext = last.map { $0 - time > Self.halfDayMicroseconds } ?? false
        if isNext { count += 1 }
        last = time
        return isNext
    }
}
