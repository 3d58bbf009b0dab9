package import Readings

/// The devices that are simulated without a scenario.
extension MockScript {
    /// A receiver on a simulated drive, always with a fix.
    public static func driving(
        seed: UInt64, _ traits: ReceiverTraits = ReceiverTraits(), offeredNanoseconds: [Int64] = receiverNanoseconds,
        description: String? = nil
    ) -> Self {
        let track = MockTrack(seed: seed)
        return receiver(traits, offeredNanoseconds, description ?? "mock receiver") {
            track.location(atNanoseconds: $0)
        }
    }

    /// A receiver on a journey.
    public static func receiver(
        on journey: Journey, _ traits: ReceiverTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        receiver(traits, offeredNanoseconds, description) { journey.location(atSeconds: Double($0) / 1e9) }
    }

    private static func receiver(
        _ traits: ReceiverTraits, _ offeredNanoseconds: [Int64], _ description: String,
        _ truth: @escaping @Sendable (_ elapsedNanoseconds: Int64) -> Location
    ) -> Self {
        let sky = MockSky(seed: traits.seed)
        return Self(
            .location, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: offeredNanoseconds.last ?? 1_000_000_000,
            description: description
        ) { instant in
            var location = truth(instant.elapsedNanoseconds)
            traits.receive(&location, under: sky, instant.elapsedNanoseconds)
            Resolution.limit(&location)
            location.utcMicroseconds = instant.utcNanoseconds / 1_000
            return .location(location)
        }
    }

    /// 10, 5, 2 and 1 Hz.
    public static let receiverNanoseconds: [Int64] = [100_000_000, 200_000_000, 500_000_000, 1_000_000_000]

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
