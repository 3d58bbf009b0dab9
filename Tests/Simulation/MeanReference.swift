internal import Readings

/// The mean, straightforwardly: sums divided by the number, in double precision, the stamp in 128 bits.
enum MeanReference {
    /// The last of the samples of which a reading is the mean, beginning with the one that it is numbered as.
    static func end(of reading: Sample, in arrivals: [Truth.Arrival], from start: Int) -> Int? {
        guard case .acceleration(let mean) = reading.measurement else { return nil }
        var (x, y, z, stamps) = (0.0, 0.0, 0.0, Int128(0))
        for index in start..<arrivals.count {
            guard case .acceleration(let value) = arrivals[index].sample.measurement else { return nil }
            x += value.x
            y += value.y
            z += value.z
            stamps += Int128(arrivals[index].stamp)
            let count = Double(index - start + 1)
            let stamp = Int64(stamps / Int128(index - start + 1))
            if abs(stamp - reading.timestamp.nanoseconds) <= 1, isClose(x / count, mean.x), isClose(y / count, mean.y),
                isClose(z / count, mean.z)
            {
                return index
            }
        }
        return nil
    }

    private static func isClose(_ first: Double, _ second: Double) -> Bool {
        abs(first - second) <= 1e-9 * max(1, abs(first))
    }
}
