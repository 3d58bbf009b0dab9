internal import BrokerClient

/// What a stream was like in the last second: how fast, how even, how late and how complete its readings came.
struct StreamStatistics {
    /// The numbers of one resource.
    struct Line: Equatable {
        let resource: String
        let readings: Int
        /// Readings a second, by their own timestamps; nil if there are too few.
        var hertz: Double?
        /// The standard deviation of the steps from one reading to the next.
        var jitterNanoseconds: Double?
        /// From the measurement to its arrival here.
        var meanLatencyNanoseconds: Double?
        var longestLatencyNanoseconds: Int64?
        /// Readings that were lost; at least one for a gap without a number.
        let lost: Int64
    }

    private struct Sums {
        let resource: String
        var last: Int64?
        var steps: [Int64] = []
        var latencies: [Int64] = []
        var readings = 0
        var lost: Int64 = 0
    }

    /// In the order in which they came.
    private var all: [Sums] = []

    /// A resource that is watched has a line, even if nothing comes; returns its place.
    @discardableResult
    mutating func expect(_ resource: String) -> Int {
        if let known = all.firstIndex(where: { $0.resource == resource }) { return known }
        all.append(Sums(resource: resource))
        return all.count - 1
    }

    /// Takes a reading that arrived now.
    mutating func take(_ reading: Reading, nowNanoseconds now: Int64) {
        let index = expect(reading.resource)
        var stamps = [reading.timestampNanoseconds]
        if case .values(let columns) = reading.content { stamps = columns.timestampsNanoseconds }
        for stamp in stamps {
            if let last = all[index].last, stamp > last {
                all[index].steps.append(BootClock.span(from: last, to: stamp))
            }
            all[index].last = stamp
            all[index].latencies.append(max(0, BootClock.span(from: stamp, to: now)))
            all[index].readings += 1
        }
    }

    /// Takes a gap; the step across it is no jitter.
    mutating func take(_ gap: Gap) {
        let index = expect(gap.resource)
        all[index].lost &+= gap.count ?? 1
        all[index].last = nil
    }

    /// The lines of what came since the last time; the next ones begin from here.
    mutating func lines() -> [Line] {
        defer { all = all.map { Sums(resource: $0.resource, last: $0.last) } }
        return all.map { sum in
            var line = Line(resource: sum.resource, readings: sum.readings, lost: sum.lost)
            if !sum.steps.isEmpty {
                let steps = sum.steps.map { Double($0) }
                let mean = steps.reduce(0, +) / Double(steps.count)
                line.hertz = 1e9 / mean
                let squares = steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
                if steps.count > 1 { line.jitterNanoseconds = (squares / Double(steps.count - 1)).squareRoot() }
            }
            if !sum.latencies.isEmpty {
                line.meanLatencyNanoseconds = sum.latencies.reduce(0) { $0 + Double($1) } / Double(sum.latencies.count)
                line.longestLatencyNanoseconds = sum.latencies.max()
            }
            return line
        }
    }
}
