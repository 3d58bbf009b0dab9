public import Devices
internal import Glibc
internal import Motion
internal import Platform
internal import Readings

/// The properties of a simulated sensor's chip: what it reports for what it is exposed to.
public struct ChipTraits: Sendable {
    /// Standard deviation of each channel, in the kind's unit.
    public var noise = 0.0
    /// What is added to each channel, in the kind's unit.
    public var bias = SIMD4<Double>.zero
    /// What is added with each degree Celsius above 25, and the temperature; nil: nothing.
    package var drift: (perDegree: SIMD4<Double>, temperature: ValueSource)?
    /// The largest value in either direction; nil: no limit.
    public var range: Double?
    /// How the chip is mounted, for kinds to which that matters; nil: its axes are the device's.
    public var mounted: MountedAxes?
    /// The seed of the noise.
    public var seed: UInt64 = 0

    /// Creates a chip without noise and limits, whose axes are the device's.
    public init() {}
}

/// The chip of a simulated sensor, which measures one kind.
struct SimulatedChip: Sendable {
    private let traits: ChipTraits
    private let kind: Kind
    private let mean: KindRow.Mean
    /// Which elements of a value are channels of the kind: the others stay 0.
    private let isChannel: SIMDMask<SIMD4<Int64>>
    /// The chip's axes, as far as they matter to the kind.
    private let mounted: MountedAxes?
    /// How many values that it can tell apart there are within a unit.
    private let steps: SIMD4<Double>

    init(of kind: Kind, _ traits: ChipTraits) {
        let row = kind.row
        self.traits = traits
        self.kind = kind
        mean = row.mean
        isChannel = SIMD4<Int64>(0, 1, 2, 3) .< SIMD4(repeating: Int64(row.channels.count))
        mounted = row.frame == .device ? traits.mounted : nil
        // One digit more than is worth printing: an acceleration to 0.0001 m/s².
        steps = SIMD4(repeating: (0...row.unit.decimals).reduce(1.0) { power, _ in power * 10 })
    }

    /// The value that the chip reports.
    func measure(_ value: SIMD4<Double>, _ instant: MockScript.Instant) -> SIMD4<Double> {
        var value = value + traits.bias
        if let drift = traits.drift { value += drift.perDegree * (drift.temperature.value(at: instant).x - 25) }
        if traits.noise > 0 {
            value += SIMD4(Noise.normal(instant.elapsedNanoseconds, seed: traits.seed) * traits.noise, 0)
        }
        // With noise, a heading a little west of north is still one, and a quaternion still a rotation.
        value = mean.normal(value)
        if let range = traits.range {
            value.clamp(lowerBound: SIMD4(repeating: -range), upperBound: SIMD4(repeating: range))
        }
        if let mounted { value.axes = mounted.applied(to: value.axes, of: kind) }
        // No zero is negative.
        value = (value * steps).rounded(.toNearestOrAwayFromZero) / steps + SIMD4(repeating: 0)
        // Just below north is rounded up to a whole turn, which is north.
        if mean == .circular { value = mean.normal(value) }
        return SIMD4.zero.replacing(with: value, where: isChannel)
    }
}

extension SIMD4<Double> {
    fileprivate var axes: SIMD3<Double> {
        get { [x, y, z] }
        set { self = SIMD4(newValue, w) }
    }
}

/// Limits digits to those that a real device would report, so that simulated readings look like real ones and have the
/// same size.
enum Resolution {
    /// Rounds a position to a tenth of a millimetre, everything else to a thousandth.
    static func limit(_ location: inout Location) {
        round(&location.latitudeDegrees, to: 1e9)
        round(&location.longitudeDegrees, to: 1e9)
        round(&location.altitudeMeters, to: 1e3)
        round(&location.ellipsoidHeightMeters, to: 1e3)
        round(&location.horizontalErrorMeters, to: 1e3)
        round(&location.verticalErrorMeters, to: 1e3)
        round(&location.speedMetersPerSecond, to: 1e3)
        round(&location.trackDegrees, to: 1e3)
        round(&location.climbMetersPerSecond, to: 1e3)
        round(&location.headingDegrees, to: 1e3)
        round(&location.pitchDegrees, to: 1e3)
        round(&location.baselineNorthMeters, to: 1e3)
        round(&location.baselineEastMeters, to: 1e3)
        round(&location.baselineDownMeters, to: 1e3)
        round(&location.baselineHeadingDegrees, to: 1e3)
        // They were rounded up from just below north.
        if location.trackDegrees == 360 { location.trackDegrees = 0 }
        if location.headingDegrees == 360 { location.headingDegrees = 0 }
        if location.baselineHeadingDegrees == 360 { location.baselineHeadingDegrees = 0 }
    }

    private static func round(_ value: inout Double?, to steps: Double) { value = value.map { rounded($0, to: steps) } }

    // No zero is negative.
    private static func rounded(_ value: Double, to steps: Double) -> Double { (value * steps).rounded() / steps + 0 }
}

/// Random numbers that depend on a seed and an index only: the same for the same sample, in any order.
enum Noise {
    /// Independent, normally distributed numbers with a standard deviation of 1.
    static func normal(_ place: Int64, seed: UInt64) -> SIMD3<Double> {
        let index = UInt64(bitPattern: place) &* 4
        func part(_ offset: UInt64) -> Double { unit(SplitMix64.number(at: index &+ offset, seed: seed)) }
        // Box–Muller transforms: the cosine and the sine of one angle, and the cosine of another.
        let (first, second) = (radius(part(0)), radius(part(2)))
        let (turns, others) = (part(1), part(3))
        let waves = SIMD4(turns + 0.25, turns, others + 0.25, 0).sinesOfTurns
        return SIMD3(first * waves.x, first * waves.y, second * waves.z)
    }

    /// A number from 0 to 1.
    static func fraction(_ place: UInt64, seed: UInt64) -> Double { unit(SplitMix64.number(at: place, seed: seed)) }

    private static func radius(_ part: Double) -> Double { (-2 * log(1 - part)).squareRoot() }

    // Less than 1.
    private static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) / Double(1 << 53) }
}
