import Glibc
import Motion
import SensorValues

/// Samples from standard input: five numbers each, the sensor (0 rate, 1 acceleration, 2 field), seconds, x, y, z.
enum Samples {
    struct Sample {
        let sensor: Int
        let seconds: Double
        let vector: Vector3

        var time: BootTime { BootTime(nanoseconds: Int64((seconds * 1e9).rounded())) }

        @inline(__always)
        func feed(_ filter: inout MotionFilter) {
            switch sensor {
            case 0: filter.take(rate: vector, at: time)
            case 1: filter.take(acceleration: vector, at: time)
            default: filter.take(field: vector, at: time)
            }
        }
    }

    static func read() -> [Sample] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(0, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let numbers = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Double.self)) }
        return stride(from: 0, to: numbers.count - 4, by: 5).map { row in
            Sample(
                sensor: Int(numbers[row]), seconds: numbers[row + 1],
                vector: Vector3(x: numbers[row + 2], y: numbers[row + 3], z: numbers[row + 4]))
        }
    }
}
