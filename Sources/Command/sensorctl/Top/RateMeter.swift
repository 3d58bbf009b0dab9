/// How fast a device measures, and how evenly, from the numbers and times of the readings that arrive.
///
/// The device counts its samples, so this is its own rate even if only some of its samples are sent here.
struct RateMeter {
    private static let spanNanoseconds: Int64 = 5_000_000_000
    private static let most = 256

    /// The numbers of samples, and their times.
    private typealias Point = (sequence: Int64, nanoseconds: Int64)
    private var points: [Point] = []

    /// Takes a sample; a smaller number than before means that the device was opened again.
    mutating func take(sequence: Int64, atNanoseconds time: Int64) {
        if let last = points.last, sequence <= last.sequence || time <= last.nanoseconds {
            if sequence == last.sequence { return }
            points = []
        }
        points.append((sequence, time))
        if points.count > Self.most { points.removeFirst(points.count - Self.most) }
    }

    /// Forgets everything: the device has stopped, or changes its pace.
    mutating func restart() { points = [] }

    /// The samples of the last seconds, or at least two.
    private func recent(_ now: Int64) -> ArraySlice<Point> {
        let begin =
            points.firstIndex { BootClock.span(from: $0.nanoseconds, to: now) <= Self.spanNanoseconds } ?? points.count
        return points[min(begin, max(0, points.count - 2))...]
    }

    /// Samples a second; nil if there are too few, or the newest is older than it should be.
    func hertz(nowNanoseconds now: Int64) -> Double? {
        let points = recent(now)
        guard let first = points.first, let last = points.last, points.count > 1 else { return nil }
        let samples = Double(last.sequence) - Double(first.sequence)
        let time = Double(BootClock.span(from: first.nanoseconds, to: last.nanoseconds))
        // What comes seldom is not over before its third interval.
        guard Double(BootClock.span(from: last.nanoseconds, to: now)) < max(2e9, 3 * time / Double(points.count - 1))
        else { return nil }
        return samples / time * 1e9
    }

    /// The standard deviation of the samples' times from an even pace, in nanoseconds; nil if there are too few.
    func jitter(nowNanoseconds now: Int64) -> Double? {
        let points = recent(now)
        guard points.count >= 5, hertz(nowNanoseconds: now) != nil, let first = points.first else { return nil }
        let count = Double(points.count)
        let xs = points.map { Double($0.sequence) - Double(first.sequence) }
        let ys = points.map { Double(BootClock.span(from: first.nanoseconds, to: $0.nanoseconds)) }
        let (meanX, meanY) = (xs.reduce(0, +) / count, ys.reduce(0, +) / count)
        let spread = xs.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
        let product = zip(xs, ys).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let squares = zip(xs, ys).reduce(0) { sum, point in
            let error = point.1 - meanY - product / spread * (point.0 - meanX)
            return sum + error * error
        }
        return (squares / (count - 2)).squareRoot()
    }
}
