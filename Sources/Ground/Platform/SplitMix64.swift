/// A small generator whose numbers depend on its seed alone; for jitter and mocks, not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator that gives the same numbers for the same seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mixed(state)
    }

    /// The number at an index of a seed's sequence, without computing the ones before it.
    public static func number(at index: UInt64, seed: UInt64) -> UInt64 { mixed(seed &+ (index &+ 1) &* step) }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
