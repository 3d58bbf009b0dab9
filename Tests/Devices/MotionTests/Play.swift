import Foundation
import Motion
import SensorValues
import TestTools

/// Plays a motion to a filter, with sensors that are as bad as one wants, and compares what the filter yields with the
/// truth.
struct Play {
    var motion = RigidMotion.hand()
    var rateHertz = 100.0
    var accelerationHertz = 100.0
    var fieldHertz = 100.0
    /// In parts of the interval.
    var jitter = 0.0
    /// In radians per second, metres per second squared and microtesla: one standard deviation of each sample.
    var rateNoise = 0.0
    var accelerationNoise = 0.0
    var fieldNoise = 0.0
    var bias = Vector3.zero
    var accelerometerOffset = Vector3.zero
    /// A magnet that is fixed to the device, in microtesla, and when.
    var magnet = Vector3.zero
    var magnetSeconds = 0.0...0.0
    /// Of all samples.
    var gaps: [Range<Double>] = []
    var seed: UInt64 = 1

    /// A motion as a usual chip shows it, with a bias and noise.
    static func ofChip(_ motion: RigidMotion, bias: Vector3) -> Self {
        Self(motion: motion, rateNoise: 0.1 * degree, accelerationNoise: 0.03, bias: bias)
    }

    /// What the filter yielded at the time of a rate, beside the truth.
    struct Line {
        let seconds: Double
        let isKnown: Bool
        let isNorthKnown: Bool
        /// In degrees.
        let tilt, heading, tiltError, headingError: Double
    }

    static let degree = Double.pi / 180

    /// Plays from one time to another.
    @discardableResult
    func run(_ filter: inout MotionFilter, from start: Double = 0, to end: Double) -> [Line] {
        var random = SeededGenerator(seed: seed)
        var samples: [(seconds: Double, sensor: Int)] = []
        for (sensor, hertz) in [rateHertz, accelerationHertz, fieldHertz].enumerated() where hertz > 0 {
            var index = 0.0
            while start + index / hertz < end {
                let late = jitter > 0 ? Double.random(in: -jitter...jitter, using: &random) : 0
                let seconds = start + (index + late) / hertz
                if !gaps.contains(where: { $0.contains(seconds) }) { samples.append((seconds, sensor)) }
                index += 1
            }
        }
        samples.sort { ($0.seconds, $0.sensor) < ($1.seconds, $1.sensor) }
        var lines: [Line] = []
        var rateSeconds = -1.0
        let formula = MotionFormula(motion)
        var moment = Moment(atRestIn: motion.field)
        var momentSeconds = -Double.infinity
        for (index, sample) in samples.enumerated() {
            // Sensors that measure at one time see one moment.
            if momentSeconds != sample.seconds {
                momentSeconds = sample.seconds
                moment = Moment(atRestIn: motion.field).carrying(formula.relative(at: momentSeconds, .all))
            }
            let time = BootTime(nanoseconds: Int64((sample.seconds * 1e9).rounded()))
            switch sample.sensor {
            case 0: filter.take(rate: moment.rate + bias + noise(rateNoise, &random), at: time)
            case 1:
                filter.take(
                    acceleration: moment.acceleration + accelerometerOffset + noise(accelerationNoise, &random),
                    at: time)
            default:
                let magnet = magnetSeconds.contains(sample.seconds) ? magnet : .zero
                filter.take(field: moment.field + magnet + noise(fieldNoise, &random), at: time)
            }
            let isLast = index + 1 == samples.count || samples[index + 1].seconds > sample.seconds
            if sample.sensor == 0 { rateSeconds = sample.seconds }
            if isLast, rateSeconds == sample.seconds {
                lines.append(Self.line(filter, moment.attitude, sample.seconds))
            }
        }
        return lines
    }

    private static func line(_ filter: MotionFilter, _ truth: Quaternion, _ seconds: Double) -> Line {
        let rotation = filter.rotation ?? filter.attitude
        let error = rotation.map { $0 * truth.inverse } ?? .identity
        return Line(
            seconds: seconds, isKnown: filter.attitude != nil, isNorthKnown: filter.rotation != nil,
            tilt: angle(between: error.turn(Vector3(x: 0, y: 0, z: 1)), and: Vector3(x: 0, y: 0, z: 1)) / degree,
            heading: 2 * atan2(error.z, error.w) / degree, tiltError: filter.tiltErrorRadians / degree,
            headingError: filter.headingErrorRadians / degree)
    }

    static func angle(between one: Vector3, and other: Vector3) -> Double {
        atan2(one.cross(other).length, one.dot(other))
    }

    private func noise(_ deviation: Double, _ random: inout SeededGenerator) -> Vector3 {
        deviation > 0 ? .noise(deviation, &random) : .zero
    }
}

extension Vector3 {
    /// Noise with this standard deviation along each axis.
    static func noise(_ deviation: Double, _ random: inout SeededGenerator) -> Self {
        // The sum of four even ones is close enough to a bell.
        func one(_ random: inout SeededGenerator) -> Double {
            (random.even() + random.even() + random.even() + random.even()) * 0.866 * deviation
        }
        return Self(x: one(&random), y: one(&random), z: one(&random))
    }
}

extension [Play.Line] {
    func after(_ seconds: Double) -> Self { filter { $0.seconds >= seconds } }

    var known: Self { filter(\.isKnown) }
    var isKnown: Bool { allSatisfy(\.isKnown) }
    var isNorthKnown: Bool { allSatisfy(\.isNorthKnown) }
    var isNorthEverKnown: Bool { contains(where: \.isNorthKnown) }

    /// The root of the mean square of a number of what was known.
    func rms(_ number: (Play.Line) -> Double) -> Double {
        let known = known
        return (known.reduce(0) { $0 + number($1) * number($1) } / Double(Swift.max(1, known.count))).squareRoot()
    }

    /// The part of it that is within twice the error that was stated.
    var honestTilts: Double {
        let known = known
        return known.isEmpty ? 1 : Double(known.count { $0.tilt <= 2 * $0.tiltError }) / Double(known.count)
    }

    var honestHeadings: Double {
        let known = filter(\.isNorthKnown)
        return known.isEmpty
            ? 1 : Double(known.count { abs(Self.wrapped($0.heading)) <= 2 * $0.headingError }) / Double(known.count)
    }

    static func wrapped(_ degrees: Double) -> Double { degrees - (degrees / 360).rounded() * 360 }
}

extension MotionFilter {
    /// One with a calibrated magnetometer.
    static func compass(_ field: FieldShape? = nil) -> Self {
        var calibration = MotionCalibration()
        calibration.magnetometerIsCalibrated = true
        calibration.field = field
        return Self(calibration)
    }
}
