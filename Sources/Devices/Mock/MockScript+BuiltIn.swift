package import Readings

/// The devices that are simulated without a scenario.
extension MockScript {
    /// A receiver on a simulated drive, from 1 to 10 Hz, always with a fix.
    public static func driving(seed: UInt64) -> Self { driving(seed: seed, ReceiverTraits()) }

    /// The same with a receiver of these properties.
    public static func driving(seed: UInt64, _ traits: ReceiverTraits) -> Self {
        let (track, sky) = (MockTrack(seed: seed), MockSky(seed: traits.seed))
        return Self(
            .location, offeredNanoseconds: [100_000_000, 200_000_000, 500_000_000, 1_000_000_000],
            ownNanoseconds: 1_000_000_000, description: "mock receiver"
        ) { instant in
            var location = track.location(atNanoseconds: instant.elapsedNanoseconds)
            traits.receive(&location, under: sky, instant.elapsedNanoseconds)
            Resolution.limit(&location)
            location.utcMicroseconds = instant.utcNanoseconds / 1_000
            return .location(location)
        }
    }

    /// A hand-held accelerometer, from 1 Hz to 4 kHz.
    public static func handHeld(seed: UInt64) -> Self {
        var traits = ChipTraits()
        traits.noise = handHeldNoise
        traits.seed = seed
        let source = ValueSource(of: .acceleration, on: .held(seed: seed), in: SurroundingField(), seed: seed)
        return .values(
            of: .acceleration, from: source, traits, offeredNanoseconds: handHeldNanoseconds,
            description: "mock accelerometer")
    }

    /// The devices that are simulated without a scenario: a receiver and an accelerometer; nil for other kinds.
    package static func usual(_ kind: Kind, seed: UInt64) -> Self? {
        switch kind {
        case .location: driving(seed: seed)
        case .acceleration: handHeld(seed: seed)
        default: nil
        }
    }

    /// The noise of an accelerometer of which nothing is stated, in m/s².
    package static let handHeldNoise = 0.03

    /// 4000, 2000, 1600, 1000, 800, 400, 200, 100, 50, 25, 12.5, 10, 5 and 1 Hz.
    public static let handHeldNanoseconds: [Int64] = [
        250_000, 500_000, 625_000, 1_000_000, 1_250_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000, 40_000_000,
        80_000_000, 100_000_000, 200_000_000, 1_000_000_000,
    ]
}
