public import Devices
internal import Readings

/// What an accelerometer's chip makes of what it is exposed to.
public struct ChipTraits: Sendable {
    /// Standard deviation along each axis, m/s².
    public var noise = 0.0
    /// What is more, either way, is cut off, m/s²; nil: nothing is.
    public var range: Double?
    /// How it is mounted.
    public var mountMatrix = MountMatrix.identity
    /// What decides the noise.
    public var seed: UInt64 = 0

    /// One without noise and limits, whose axes are the device's.
    public init() {}

    /// What comes out where that goes in.
    func measure(_ force: SIMD3<Double>, _ elapsedNanoseconds: Int64) -> Acceleration {
        var force = force
        if noise > 0 { force += Noise.normal(elapsedNanoseconds, seed: seed) * noise }
        if let range { force.clamp(lowerBound: SIMD3(repeating: -range), upperBound: SIMD3(repeating: range)) }
        force = mountMatrix.applied(to: force)
        return Resolution.limited(Acceleration(x: force.x, y: force.y, z: force.z))
    }
}
