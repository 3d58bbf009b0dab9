public import Devices
internal import Motion
package import Readings

/// The chip of a simulated sensor, which measures one kind, with its traits.
struct MockChip: Sendable {
    private let traits: ChipTraits
    private let kind: Kind
    private let mean: KindRow.Mean
    private let isHeading: Bool
    /// Which elements of a value are channels of the kind: the others stay 0.
    private let isChannel: SIMDMask<SIMD4<Int64>>
    /// The chip's axes, as far as they matter to the kind.
    private let mounted: MountedAxes?
    /// How many values it distinguishes within a unit.
    private let steps: SIMD4<Double>
    /// As many, and a bit: halves go away from zero, as people round 9.80665, since the next number away from zero is no half.
    private let stepsAwayFromZero: SIMD4<Double>

    init(of kind: Kind, _ traits: ChipTraits) {
        let row = kind.row
        self.traits = traits
        self.kind = kind
        mean = row.mean
        isHeading = row.mean == .circular
        isChannel = SIMD4<Int64>(0, 1, 2, 3) .< SIMD4(repeating: Int64(row.channels.count))
        mounted = row.frame == .device ? traits.mounted : nil
        // One digit more than is worth printing: an acceleration to 0.0001 m/s².
        steps = SIMD4(repeating: (0...row.unit.decimals).reduce(1.0) { power, _ in power * 10 })
        stepsAwayFromZero = steps * 1.0.nextUp
    }

    /// The value that the chip reports.
    func measure(_ value: SIMD4<Double>, _ instant: MockScript.Instant) -> SIMD4<Double> {
        var value = value + traits.bias
        if let drift = traits.drift { value += drift.perDegree * (drift.temperature.value(at: instant).x - 25) }
        if traits.noise > 0 { value += Noise.normal(instant.elapsedNanoseconds, seed: traits.seed) * traits.noise }
        // With noise, a heading a little west of north is still one, and a quaternion still a rotation.
        value = mean.normal(value)
        if let range = traits.range {
            value.clamp(lowerBound: SIMD4(repeating: -range), upperBound: SIMD4(repeating: range))
        }
        if let mounted { value.axes = mounted.applied(to: value.axes, of: kind) }
        value = (value * stepsAwayFromZero).nearestWhole / steps
        // Just below north is rounded up to a whole turn, which is north.
        if isHeading { value = mean.normal(value) }
        return SIMD4.zero.replacing(with: value, where: isChannel)
    }
}

extension SIMD4<Double> {
    fileprivate var axes: SIMD3<Double> {
        get { [x, y, z] }
        set { self = SIMD4(newValue, w) }
    }
}

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

extension MockScript {
    /// A sensor whose chip measures a source of values.
    package static func values(
        of kind: Kind, from source: ValueSource, _ traits: ChipTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        // 100 Hz while there is no demand, if it can.
        let own = offeredNanoseconds.last { $0 <= 10_000_000 } ?? offeredNanoseconds.first ?? 10_000_000
        let chip = MockChip(of: kind, traits)
        return Self(
            kind, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: own, description: description
        ) { instant in
            .values(Values(kind, chip.measure(source.value(at: instant), instant)))
        }
    }
}
