import Glibc
import Motion
import SensorValues

/// Plays a simulated motion, or runs the filter on one, for `motion.py`; all numbers are doubles, in the host's order of bytes.
@main
enum MotionBench {
    static func main() {
        switch CommandLine.arguments.dropFirst().first {
        case "play": Rows.write(hand: CommandLine.arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1)
        case "compasses": for reach in [1, 1.5, 2] { Compasses.print(reach: reach) }
        case "filter": run(Samples.read())
        case "count": count(Samples.read(), isEmpty: CommandLine.arguments.last == "empty")
        default:
            print(
                "usage: motion-bench play VIGOUR > ROWS; motion-bench compasses; motion-bench filter < SAMPLES > LINES; motion-bench count [empty]"
            )
            exit(64)
        }
    }

    private static func filter() -> MotionFilter {
        var calibration = MotionCalibration()
        calibration.magnetometerIsCalibrated = true
        return MotionFilter(calibration)
    }

    /// Writes a line for each rate whose samples were all taken.
    private static func run(_ samples: [Samples.Sample]) {
        var filter = filter()
        var lines = Output()
        var rateSeconds = -Double.infinity
        for (index, sample) in samples.enumerated() {
            sample.feed(&filter)
            if sample.sensor == 0 { rateSeconds = sample.seconds }
            let isLast = index + 1 == samples.count || samples[index + 1].seconds != sample.seconds
            guard isLast, rateSeconds == sample.seconds else { continue }
            lines.add([sample.seconds])
            lines.add(filter.attitude)
            lines.add(filter.rotation)
            lines.add([filter.tiltErrorRadians, filter.headingErrorRadians])
        }
        lines.write()
    }

    /// What callgrind counts: the filter, or only the loop around it.
    private static func count(_ samples: [Samples.Sample], isEmpty: Bool) {
        var filter = filter()
        var sum = 0.0
        for sample in samples {
            if isEmpty {
                sum += sample.vector.x + Double(sample.time.nanoseconds)
            } else {
                sample.feed(&filter)
            }
        }
        print(sum + filter.tiltErrorRadians)
    }
}

/// Numbers on their way to standard output.
struct Output {
    private var numbers: [Double] = []

    mutating func add(_ more: [Double]) { numbers += more }

    mutating func add(_ rotation: Quaternion?) {
        guard let rotation else { return add([.nan, .nan, .nan, .nan]) }
        add([rotation.w, rotation.x, rotation.y, rotation.z])
    }

    func write() {
        unsafe numbers.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = unsafe Glibc.write(1, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                guard count > 0 else { exit(74) }
                done += count
            }
        }
    }
}
