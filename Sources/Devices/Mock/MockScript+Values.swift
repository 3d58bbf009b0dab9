package import Readings

extension MockScript {
    /// A sensor whose chip measures a source of values.
    package static func values(
        of kind: Kind, from source: ValueSource, _ traits: ChipTraits, offeredNanoseconds: [Int64], description: String
    ) -> Self {
        // 100 Hz while there is no demand, if it can.
        let own = offeredNanoseconds.last { $0 <= 10_000_000 } ?? offeredNanoseconds.first ?? 10_000_000
        let chip = MockChip(of: kind, traits)
        return Self(
            kind, offeredNanoseconds: offeredNanoseconds, ownNanoseconds: own, description: description
        ) { instant in
            .values(Values(kind, chip.measure(source.value(at: instant), instant)))
        }
    }
}
