/// The values of a resource in the last minute.
struct History {
    static let spanNanoseconds: Int64 = 60_000_000_000
    /// More than a minute at the fastest pace that is asked for.
    private static let most = 6_000

    /// The values of one sample.
    struct Point {
        let nanoseconds: Int64
        let values: SIMD4<Double>
        /// Whether something is missing before it.
        var isAfterGap: Bool
    }

    private(set) var points: ArraySlice<Point> = []
    private var isBroken = false

    mutating func take(_ values: SIMD4<Double>, atNanoseconds time: Int64) {
        if let last = points.last, time <= last.nanoseconds { return }
        points.append(Point(nanoseconds: time, values: values, isAfterGap: isBroken))
        isBroken = false
        let begin =
            points.firstIndex { BootClock.span(from: $0.nanoseconds, to: time) <= Self.spanNanoseconds }
            ?? points.endIndex
        points = points[max(begin, points.endIndex - Self.most)...]
        // Dropped points take room until the array is copied.
        assert(!points.isEmpty && points.count <= Self.most)
        if points.startIndex > Self.most { points = ArraySlice(Array(points)) }
    }

    /// Something is missing from here on.
    mutating func interrupt() { isBroken = true }

    /// The smallest and the largest value of each of so many equal parts of the time until now; nil for a part without values.
    func extremes(
        _ count: Int, spanNanoseconds span: Int64 = Self.spanNanoseconds, until now: Int64,
        _ value: (SIMD4<Double>) -> Double
    ) -> [ClosedRange<Double>?] {
        var parts = [ClosedRange<Double>?](repeating: nil, count: count)
        for point in points {
            guard let part = Self.part(of: point, count, span, now) else { continue }
            let value = value(point.values)
            guard value.isFinite else { continue }
            let range = parts[part] ?? value...value
            parts[part] = min(range.lowerBound, value)...max(range.upperBound, value)
        }
        return parts
    }

    /// The part of the time until now in which a point lies.
    static func part(of point: Point, _ count: Int, _ span: Int64, _ now: Int64) -> Int? {
        let age = BootClock.span(from: point.nanoseconds, to: now)
        guard age < span, count > 0 else { return nil }
        return count - 1 - Int(max(0, age) / (span / Int64(count) + 1))
    }
}
