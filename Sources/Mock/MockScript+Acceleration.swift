internal import Readings

extension MockScript {
    /// An accelerometer that is exposed to something.
    public static func accelerometer(
        in source: AccelerationSource, _ traits: ChipTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        // A hundred a second where nobody asks, as far as it can.
        let own = offeredNanoseconds.last { $0 <= 10_000_000 } ?? offeredNanoseconds.first ?? 10_000_000
        return Self(
            .acceleration, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: own, description: description
        ) { instant in
            .values(traits.measure(source.force(at: instant), instant.elapsedNanoseconds))
        }
    }
}
