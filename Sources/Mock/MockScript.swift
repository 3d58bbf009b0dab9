public import Readings

/// What a simulated device is, and what it measures.
public struct MockScript: Sendable {
    /// An instant of a script.
    public struct Instant: Sendable {
        /// Since the script began.
        public let elapsedNanoseconds: Int64
        /// How many samples of this interval would have been measured since then: the number of this one.
        public let index: Int64
        /// UTC, nanoseconds since 1970.
        public let utcNanoseconds: Int64

        init(elapsedNanoseconds: Int64, index: Int64, utcNanoseconds: Int64) {
            self.elapsedNanoseconds = elapsedNanoseconds
            self.index = index
            self.utcNanoseconds = utcNanoseconds
        }

        /// The beginning.
        public init(beginning utcNanoseconds: Int64?) {
            self.init(elapsedNanoseconds: 0, index: 0, utcNanoseconds: utcNanoseconds ?? 0)
        }
    }

    /// What it measures.
    public let kind: Kind
    /// The intervals that it offers, ascending, in nanoseconds; not empty.
    public let offeredNanoseconds: [Int64]
    /// What it runs at where nobody asks for anything.
    public let ownNanoseconds: Int64
    /// For people.
    public let description: String
    /// What it measures at an instant; its value depends on that alone.
    public let measure: @Sendable (Instant) -> Measurement

    /// A device's script.
    public init(
        _ kind: Kind, offeredNanoseconds: [Int64], ownNanoseconds: Int64, description: String,
        measure: @escaping @Sendable (Instant) -> Measurement
    ) {
        self.kind = kind
        self.offeredNanoseconds = offeredNanoseconds
        self.ownNanoseconds = ownNanoseconds
        self.description = description
        self.measure = measure
    }

    /// The slowest interval on offer that is no longer than what is asked, or else the shortest.
    func interval(for demand: Demand) -> Int64 {
        let asked = demand.intervalNanoseconds ?? ownNanoseconds
        return offeredNanoseconds.last { $0 <= asked } ?? offeredNanoseconds.first ?? ownNanoseconds
    }
}
