internal import Glibc
internal import Platform
public import Readings

/// The simulated motion of a hand-held device: gravity with a slow tilt, occasional walking, and noise.
///
/// The screen leans back by 30°, and every twenty seconds the device is turned from upright to its side or back. Each
/// value depends on the seed and the time alone.
public struct MockMotion: Sendable {
    /// Standard gravity.
    public static let gravityMetersPerSecondSquared = 9.80665

    private let seed: UInt64
    private let phases: [Double]

    /// Creates the motion of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        phases = (0..<4).map { Self.fraction(SplitMix64.number(at: $0, seed: seed)) * 2 * .pi }
    }

    /// The acceleration at a time after the start, in m/s².
    public func acceleration(atNanoseconds nanoseconds: Int64) -> Acceleration {
        let seconds = Double(nanoseconds) / 1e9
        let pitch = 0.25 * wave(seconds, periodSeconds: 17, phases[0])
        let roll = 0.20 * wave(seconds, periodSeconds: 23, phases[1])
        let up = Self.gravityMetersPerSecondSquared + 1.2 * steps(seconds)
        let noise = noise(nanoseconds)
        let flat = Acceleration(
            x: -up * sin(pitch) + 0.4 * sway(seconds) + noise.x,
            y: up * cos(pitch) * sin(roll) + noise.y,
            z: up * cos(pitch) * cos(roll) + noise.z)
        return Self.held(flat, turned: turn(seconds))
    }

    // Tilts what lies flat by 60°, and then turns it about its screen.
    private static func held(_ flat: Acceleration, turned angle: Double) -> Acceleration {
        let (lean, rise) = (0.5, 0.75.squareRoot())
        let upright = flat.y * lean + flat.z * rise
        return Acceleration(
            x: flat.x * cos(angle) - upright * sin(angle), y: flat.x * sin(angle) + upright * cos(angle),
            z: flat.z * lean - flat.y * rise)
    }

    // A quarter of a turn within a second, and back.
    private func turn(_ seconds: Double) -> Double {
        let wave = wave(seconds, periodSeconds: 40, phases[2])
        return min(max(0.5 + 4 * wave, 0), 1) * .pi / 2
    }

    // Bouts of walking, which rise and fall over half a minute each.
    private func effort(_ seconds: Double) -> Double {
        let wave = wave(seconds, periodSeconds: 60, phases[2])
        return wave * wave
    }

    // Two steps a second, with the impact of each.
    private func steps(_ seconds: Double) -> Double {
        let step = wave(seconds, periodSeconds: 0.52, phases[3])
        return effort(seconds) * (0.8 * step + 0.2 * wave(seconds, periodSeconds: 0.26, phases[3]))
    }

    // Left and right foot alternate, at half the rate of the steps.
    private func sway(_ seconds: Double) -> Double {
        effort(seconds) * wave(seconds, periodSeconds: 1.04, phases[3])
    }

    private func wave(_ seconds: Double, periodSeconds: Double, _ phase: Double) -> Double {
        sin(2 * .pi * seconds / periodSeconds + phase)
    }

    // Three numbers of 21 bits each, within 0.05 m/s².
    private func noise(_ nanoseconds: Int64) -> Acceleration {
        let bits = SplitMix64.number(at: UInt64(bitPattern: nanoseconds), seed: ~seed)
        func axis(_ shift: UInt64) -> Double {
            (Double((bits >> shift) & 0x1F_FFFF) / Double(0x1F_FFFF) - 0.5) * 0.1
        }
        return Acceleration(x: axis(0), y: axis(21), z: axis(42))
    }

    private static func fraction(_ bits: UInt64) -> Double { Double(bits >> 11) / Double(1 << 53) }
}
