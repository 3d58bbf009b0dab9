internal import Readings

extension MockScript {
    /// A receiver on a journey.
    public static func receiver(
        on journey: Journey, _ traits: ReceiverTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        let sky = MockSky(seed: traits.seed)
        return Self(
            .location, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: offeredNanoseconds.last ?? 1_000_000_000,
            description: description
        ) { instant in
            var location = journey.location(atSeconds: Double(instant.elapsedNanoseconds) / 1e9)
            traits.receive(&location, under: sky, instant.elapsedNanoseconds)
            location.utcMicroseconds = instant.utcNanoseconds / 1_000
            Resolution.limit(&location)
            return .location(location)
        }
    }
}
