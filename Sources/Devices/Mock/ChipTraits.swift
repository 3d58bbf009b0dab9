public import Devices

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
