import Readings
import TestTools
import Testing

@testable import Delivery

/// A lane beside models that know nothing of due times: the grid searched by brute force, sums divided by their number.
@Suite("A lane with any ratio to its device's rate") struct ExactnessTests {
    /// A device and an interval at random, no shorter than the period.
    struct Ratio: Sendable, CustomTestStringConvertible {
        let period: Int64
        let interval: Int64
        let jitter: Double
        let seed: UInt64

        init(_ seed: UInt64) {
            var dice = SeededGenerator(seed: seed)
            self.seed = seed
            period = Int64.random(in: 100_000...100_000_000, using: &dice)
            let ratio = Double.random(in: 0...1, using: &dice)
            interval = period + Int64(Double(period) * ratio * ratio * 40)
            jitter = Bool.random(using: &dice) ? 0 : Double.random(in: 0...0.2, using: &dice)
        }

        var testDescription: String { "seed \(seed): \(period) ns to \(interval) ns, jitter \(jitter)" }

        /// Two thousand samples, in order.
        func samples() -> [Sample] {
            var dice = SeededGenerator(seed: seed &+ 1)
            return (0..<2_000).map { index in
                let noise = jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &dice) * Double(period)
                let x = Double.random(in: -20...20, using: &dice)
                return Samples.acceleration(UInt64(index), at: Int64(index) * period + Int64(noise), x: x)
            }
        }
    }

    /// One test, since what a lane delivers takes longer than to judge it.
    @Test(
        "has the requested rate, the sample nearest to each point of the grid, and each sample in one mean",
        arguments: (0..<150).map(Ratio.init))
    func exactness(ratio: Ratio) {
        let samples = ratio.samples()
        let readings = deliver(samples, ratio, .newest)
        checkRateAndSpacing(samples, readings, ratio)
        checkNearest(samples, readings, ratio)
        checkMeans(samples, readings, ratio)
    }

    /// The rate is the requested one within one reading, and readings are spaced within one device period.
    private func checkRateAndSpacing(_ samples: [Sample], _ readings: [Sample], _ ratio: Ratio) {
        let span = samples[1_999].timestamp - samples[0].timestamp
        #expect(abs(Double(readings.count) - Double(span) / Double(ratio.interval) - 1) <= 1 + ratio.jitter)
        let slack = ratio.period + Int64(2 * ratio.jitter * Double(ratio.period))
        let errors = zip(readings, readings.dropFirst()).map { abs($1.timestamp - $0.timestamp - ratio.interval) }
        #expect((errors.max() ?? 0) <= slack)
    }

    /// Each reading is the sample that is nearest to its point of the grid.
    private func checkNearest(_ samples: [Sample], _ readings: [Sample], _ ratio: Ratio) {
        guard ratio.jitter == 0 else { return checkNear(readings, ratio) }
        var nearest: [UInt64] = []
        var (point, best): (Int64, Int) = (0, 0)
        func distance(_ index: Int) -> Int64 { abs(samples[index].timestamp.nanoseconds - point) }
        while point <= samples[1_998].timestamp.nanoseconds {
            // Samples are in order, so none before the last point's is nearer to this one. Of two that are equally near, the first.
            while best + 1 < samples.count, distance(best + 1) < distance(best) { best += 1 }
            nearest.append(samples[best].sequence)
            point += ratio.interval
        }
        #expect(readings.prefix(nearest.count).map(\.sequence) == nearest)
    }

    /// With jitter there may be a nearer one later, which nobody can know: but none is off by more than a period.
    private func checkNear(_ readings: [Sample], _ ratio: Ratio) {
        for (index, reading) in readings.enumerated() {
            let point = readings[0].timestamp.nanoseconds + Int64(index) * ratio.interval
            let reach = Double(ratio.period) * (1 + 2 * ratio.jitter)
            if abs(Double(reading.timestamp.nanoseconds - point)) > reach {
                Issue.record("\(ratio.testDescription), \(index)")
            }
        }
    }

    /// Each sample is in one mean, which equals that of a reference.
    private func checkMeans(_ samples: [Sample], _ readings: [Sample], _ ratio: Ratio) {
        let ends = readings.map { Int($0.sequence) }
        let means = deliver(samples, ratio, .mean)
        #expect(means.count == ends.count)
        var start = 0
        for (mean, end) in zip(means, ends) {
            let part = samples[start...end]
            let x = part.map(\.x).reduce(0, +) / Double(part.count)
            let stamp = part.map { Double($0.timestamp.nanoseconds) }.reduce(0, +) / Double(part.count)
            let isRight =
                mean.sequence == UInt64(start) && abs(mean.x - x) <= 1e-12 * Double(part.count) * 20
                && abs(Double(mean.timestamp.nanoseconds) - stamp) <= 2
            if !isRight { Issue.record("\(ratio.testDescription), \(start)...\(end): \(mean)") }
            start = end + 1
        }
    }

    private func deliver(_ samples: [Sample], _ ratio: Ratio, _ filter: Filter) -> [Sample] {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = ratio.interval
        request.filter = filter
        let limits = IntervalLimits(
            kind: .acceleration, offered: .fixed(shortestNanoseconds: min(ratio.period, ratio.interval)))
        var lane = Lane(grant: Grant(request, within: limits), anchor: nil)
        let pace = Pace(periodNanoseconds: ratio.period)
        var readings: [Sample] = []
        for sample in samples {
            lane.offer(sample, now: sample.timestamp, pace: pace)
            readings += lane.readings
            if lane.hasOutgoing { lane.didSend() }
        }
        return readings
    }
}
