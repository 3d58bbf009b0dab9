import Foundation
import Platform
import Readings
import Devices

/// Samples and gaps in the order of arrival.
struct Taken {
    var samples: [Sample] = []
    var gaps: [Gap] = []

    init(_ events: [DeviceEvent] = []) {
        for event in events.apart {
            switch event {
            case .sample(let sample): samples.append(sample)
            case .gap(let gap), .missing(let gap, of: _): gaps.append(gap)
            default: break
            }
        }
    }

    static func += (left: inout Taken, right: Taken) {
        left.samples += right.samples
        left.gaps += right.gaps
    }

    /// The sensor's own numbers of the samples, which the fake puts into z.
    var numbers: [Int64] {
        samples.map { Int64(($0.value.z / DeviceReader.scale).rounded()) }
    }

    /// True if each value is exactly what the sensor's number stands for.
    var isExact: Bool {
        zip(samples, numbers).allSatisfy { sample, number in
            sample.value
                == Acceleration(
                    x: Double(number % 1000) * DeviceReader.scale, y: -Double(number % 1000) * DeviceReader.scale,
                    z: Double(number) * DeviceReader.scale)
        }
    }

    /// True if sample numbers skip exactly what the sensor's numbers skip, at most one sample later.
    var isComplete: Bool {
        Self.isComplete(numbers: numbers, sequence: samples.map { Int64($0.sequence) })
    }

    static func isComplete(numbers: [Int64], sequence: [Int64]) -> Bool {
        guard numbers.count == sequence.count, let first = numbers.first, let start = sequence.first else {
            return false
        }
        return numbers.indices.dropFirst().allSatisfy {
            // Directly after a jump, the verdict on it may still be open.
            numbers[$0] - numbers[$0 - 1] != 1 || numbers[$0] - sequence[$0] == first - start
        }
    }

    static func sleep(until instant: BootTime) {
        let left = instant.nanoseconds - Clock.bootNanoseconds()
        if left > 0 { usleep(UInt32(min(left / 1000, 1_000_000))) }
    }
}

extension Sample {
    var value: Acceleration {
        Acceleration(measurement) ?? Acceleration(x: .nan, y: .nan, z: .nan)
    }
}
