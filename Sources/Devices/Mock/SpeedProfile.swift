/// Speeds at given times, with constant acceleration in between.
///
/// It repeats after the last one.
public struct SpeedProfile: Sendable {
    private let times: [Double]
    private let speeds: [Double]
    /// The distance covered by each time.
    private let meters: [Double]

    /// Creates a profile of speeds in m/s at increasing times from 0 on; a single speed is constant.
    public init(_ points: [(seconds: Double, metersPerSecond: Double)]) {
        times = points.map(\.seconds)
        speeds = points.map(\.metersPerSecond)
        var sum = 0.0
        meters = points.indices.map { index in
            if index > 0 {
                sum +=
                    (points[index].seconds - points[index - 1].seconds)
                    * (points[index].metersPerSecond + points[index - 1].metersPerSecond) / 2
            }
            return sum
        }
    }

    /// The distance and the speed at a time.
    func progress(atSeconds seconds: Double) -> (meters: Double, metersPerSecond: Double) {
        let seconds = max(0, seconds)
        guard let period = times.last, period > 0, let round = meters.last else {
            let speed = speeds.first ?? 0
            return (seconds * speed, speed)
        }
        let rounds = (seconds / period).rounded(.down)
        let rest = min(max(seconds - rounds * period, 0), period)
        let index = times.dropLast().lastIndex(upTo: rest) { $0 }
        let length = times[index + 1] - times[index]
        let passed = rest - times[index]
        let change = length > 0 ? (speeds[index + 1] - speeds[index]) / length : 0
        let speed = speeds[index] + change * passed
        return (rounds * round + meters[index] + passed * (speeds[index] + speed) / 2, speed)
    }
}
