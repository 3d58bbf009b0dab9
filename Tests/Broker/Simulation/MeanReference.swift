internal import Readings

/// The mean by definition: sums divided by the number, in double precision, the stamp in 128 bits.
enum MeanReference {
    /// The last of the samples in a mean that begins with the sample whose number the reading has.
    static func end(of reading: Sample, in arrivals: [Truth.Arrival], from start: Int) -> Int? {
        var stamps = Int128(0)
        for index in start..<arrivals.count {
            stamps += Int128(arrivals[index].stamp)
            let stamp = Int64(stamps / Int128(index - start + 1))
            guard abs(stamp - reading.timestamp.nanoseconds) <= 1 else { continue }
            let samples = arrivals[start...index].map(\.sample.measurement)
            return isMean(reading.measurement, of: samples) ? index : nil
        }
        return nil
    }

    /// Whether a mean of locations begins anew with a sample, since its kind of fix is another one than before.
    static func restarts(at index: Int, in arrivals: [Truth.Arrival]) -> Bool {
        guard index > 0, case .location(let former) = arrivals[index - 1].sample.measurement,
            case .location(let location) = arrivals[index].sample.measurement
        else { return false }
        return former.fix != location.fix
    }

    private static func isMean(_ mean: Measurement, of samples: [Measurement]) -> Bool {
        switch mean {
        case .values(let mean):
            let values = samples.compactMap { if case .values(let values) = $0 { values } else { nil } }
            return (0..<Values.mostChannels).allSatisfy { channel in
                isClose(values.map { $0[channel] }, mean[channel])
            }
        case .location(let mean):
            let values = samples.compactMap { if case .location(let value) = $0 { value } else { nil } }
            // Fixes of different quality are not mixed.
            guard let last = values.last, values.allSatisfy({ $0.fix == mean.fix }) else { return false }
            guard last.fix != .noPosition else { return mean == last }
            return isClose(values.compactMap(\.latitudeDegrees), mean.latitudeDegrees)
                && isClose(values.compactMap(\.altitudeMeters), mean.altitudeMeters)
                && isCloseAngle(values.compactMap(\.longitudeDegrees), mean.longitudeDegrees)
        // There is nothing between two edges.
        case .orientation: return samples.last == mean
        }
    }

    private static func isClose(_ values: [Double], _ mean: Double?) -> Bool {
        guard let mean, !values.isEmpty else { return false }
        let expected = values.reduce(0, +) / Double(values.count)
        return abs(expected - mean) <= 1e-9 * max(1, abs(expected))
    }

    /// From 0 to 360, so that values on both sides of the date line are close together.
    private static func isCloseAngle(_ values: [Double], _ mean: Double?) -> Bool {
        isClose(values.map { $0 < 0 ? $0 + 360 : $0 }, mean.map { $0 < 0 ? $0 + 360 : $0 })
    }
}
