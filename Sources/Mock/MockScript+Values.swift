public import Readings

extension MockScript {
    /// A sensor whose chip is exposed to something.
    public static func values(
        of kind: Kind, from source: ValueSource, _ traits: ChipTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        // A hundred a second where nobody asks, as far as it can.
        let own = offeredNanoseconds.last { $0 <= 10_000_000 } ?? offeredNanoseconds.first ?? 10_000_000
        return Self(
            kind, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: own, description: description
        ) { instant in
            .values(Values(kind, traits.measure(source.value(at: instant), of: kind.row, instant.elapsedNanoseconds)))
        }
    }

    /// What is simulated where there is no scenario: a receiver and an accelerometer; nil for all other kinds.
    public static func usual(_ kind: Kind, seed: UInt64) -> Self? {
        switch kind.row.mock {
        case .drive: driving(seed: seed)
        case .hand: handHeld(seed: seed)
        case .swing, .none: nil
        }
    }
}
