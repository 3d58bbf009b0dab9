public import Readings

extension MockScript {
    /// A sensor whose chip measures a source of values.
    public static func values(
        of kind: Kind, from source: ValueSource, _ traits: ChipTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        // 100 Hz while there is no demand, if it can.
        let own = offeredNanoseconds.last { $0 <= 10_000_000 } ?? offeredNanoseconds.first ?? 10_000_000
        return Self(
            kind, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: own, description: description
        ) { instant in
            .values(Values(kind, traits.measure(source.value(at: instant), of: kind, instant.elapsedNanoseconds)))
        }
    }

    /// The devices that are simulated without a scenario: a receiver and an accelerometer; nil for other kinds.
    public static func usual(_ kind: Kind, seed: UInt64) -> Self? {
        switch kind.row.mock {
        case .drive: driving(seed: seed)
        case .hand: handHeld(seed: seed)
        case .swing, .tilt, .turn, .approach, .none: nil
        }
    }
}
