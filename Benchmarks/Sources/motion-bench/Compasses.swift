import Glibc
import Motion

/// Magnetometers that are calibrated by half a minute in a hand: how wrong headings are then.
enum Compasses {
    private static let chips = 400
    private static let degree = Double.pi / 180

    /// Prints a line for hands of a reach: 1 looks around, 2 turns the device over.
    static func print(reach: Double) {
        var errors: [Double] = []
        var honest = 0
        for seed in 0..<chips {
            var random = SplitMix(seed: UInt64(seed))
            let motion = hand(reach, &random)
            let chip = Chip(&random)
            var fit = MagnetometerFit()
            for index in 0..<750 {
                fit.take(chip.show(motion.moment(at: Double(index) / 25).field) + random.vector(0.5))
            }
            guard let found = try? fit.fitted(), found.isComplete else { continue }
            let error = headingError(chip, found, &random)
            errors.append(error)
            if error < 2 * found.headingErrorDegrees { honest += 1 }
        }
        errors.sort()
        guard !errors.isEmpty else { return Swift.print("reach \(reach): none") }
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        Swift.print(
            "a magnetometer by 30 s in a hand, reach \(reach): done \(errors.count) of \(chips), heading RMS in degrees: median "
                + "\(rounded(errors[errors.count / 2])), nine of ten \(rounded(errors[errors.count * 9 / 10])), "
                + "within 2 errors \(rounded(Double(honest) / Double(errors.count)))")
    }

    private static func hand(_ reach: Double, _ random: inout SplitMix) -> RigidMotion {
        var motion = RigidMotion.hand()
        for wave in [\RigidMotion.yaw, \.pitch, \.roll] {
            motion[keyPath: wave].amplitude *= reach * random.between(0.6, 1.4)
            motion[keyPath: wave].hertz *= random.between(0.6, 1.4)
            motion[keyPath: wave].phaseRadians = random.between(0, 2 * .pi)
        }
        motion.yaw.offset = random.between(0, 2 * .pi)
        return motion
    }

    private static func headingError(_ chip: Chip, _ found: FittedField, _ random: inout SplitMix) -> Double {
        var squares = 0.0
        for _ in 0..<10 {
            let motion = hand(1, &random)
            for half in 0..<60 {
                let moment = motion.moment(at: Double(half) / 2)
                let level = moment.attitude.turn(found.matrix * (chip.show(moment.field) - found.offset))
                let error = atan2(level.x, level.y) / degree
                squares += error * error
            }
        }
        return (squares / 600).squareRoot()
    }

    /// Hard iron of 40 µT and soft iron of 4 %.
    private struct Chip {
        private let offset: Vector3
        private let matrix: Matrix3

        init(_ random: inout SplitMix) {
            offset = random.vector(40)
            let (stretch, skew) = (random.vector(0.04), random.vector(0.04))
            matrix = Matrix3(
                x: Vector3(x: 1 + stretch.x, y: skew.x, z: skew.y), y: Vector3(x: skew.x, y: 1 + stretch.y, z: skew.z),
                z: Vector3(x: skew.y, y: skew.z, z: 1 + stretch.z))
        }

        func show(_ field: Vector3) -> Vector3 { matrix * field + offset }
    }
}

/// Random numbers that are the same in every run.
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 77 &+ 5 }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func between(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) / Double(1 << 53)
    }

    /// The sum of twelve even numbers is close enough to a bell.
    private mutating func bell() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + between(0, 1) } }

    mutating func vector(_ deviation: Double) -> Vector3 {
        Vector3(x: deviation * bell(), y: deviation * bell(), z: deviation * bell())
    }
}
