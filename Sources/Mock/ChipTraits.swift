public import Devices
internal import Readings

/// What a sensor's chip makes of what it is exposed to.
public struct ChipTraits: Sendable {
    /// Standard deviation of each channel, in the unit of the kind.
    public var noise = 0.0
    /// What is more, either way, is cut off; nil: nothing is.
    public var range: Double?
    /// How it is mounted, where that matters.
    public var mountMatrix = MountMatrix.identity
    /// What decides the noise.
    public var seed: UInt64 = 0

    /// One without noise and limits, whose axes are the device's.
    public init() {}

    /// What comes out where that goes in.
    func measure(_ value: SIMD4<Double>, of row: KindRow, _ elapsedNanoseconds: Int64) -> SIMD4<Double> {
        var value = value
        if noise > 0 { value += SIMD4(Noise.normal(elapsedNanoseconds, seed: seed) * noise, 0) }
        if let range { value.clamp(lowerBound: SIMD4(repeating: -range), upperBound: SIMD4(repeating: range)) }
        if row.frame == .device { value.axes = mountMatrix.applied(to: value.axes) }
        value = Resolution.limited(value, of: row)
        // What is beyond the channels of the kind is 0.
        for channel in value.indices where channel >= row.channels.count { value[channel] = 0 }
        return value
    }
}

extension SIMD4<Double> {
    fileprivate var axes: SIMD3<Double> {
        get { [x, y, z] }
        set { self = SIMD4(newValue, w) }
    }
}
