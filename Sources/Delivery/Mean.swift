internal import Readings

/// The arithmetic mean of samples, stamped at their mean time and numbered as the first.
struct Mean {
    private var first: Sample?
    private var count: Int64 = 0
    /// Of the distances to the first sample; an hour of them at 1 kHz is more than 64 bits hold.
    private var elapsed: Int128 = 0
    private var acceleration = Acceleration(x: 0, y: 0, z: 0)
    private var newest = Acceleration(x: 0, y: 0, z: 0)
    private var location: MeanLocation?
    /// There is nothing between two edges: the newest stands for them.
    private var orientation: Orientation?

    mutating func add(_ sample: Sample) {
        let start = first?.timestamp ?? sample.timestamp
        if first == nil { first = sample }
        count += 1
        elapsed += Int128(sample.timestamp - start)
        switch sample.measurement {
        case .acceleration(let value):
            newest = value
            acceleration.x += value.x
            acceleration.y += value.y
            acceleration.z += value.z
        case .orientation(let value): orientation = value
        case .location(let value):
            if location == nil { location = MeanLocation(value) } else { location?.add(value) }
        }
    }

    var sample: Sample? {
        guard let first else { return nil }
        let timestamp = first.timestamp + Int64(clamping: elapsed / Int128(count))
        let measurement: Measurement
        if let location {
            measurement = .location(location.value)
        } else if let orientation {
            measurement = .orientation(orientation)
        } else {
            measurement = .acceleration(
                Acceleration(
                    x: mean(acceleration.x, newest.x), y: mean(acceleration.y, newest.y),
                    z: mean(acceleration.z, newest.z)))
        }
        return Sample(sequence: first.sequence, timestamp: timestamp, measurement: measurement)
    }

    /// The newest stands for a sum that no double holds.
    private func mean(_ sum: Double, _ newest: Double) -> Double { sum.isFinite ? sum / Double(count) : newest }
}
