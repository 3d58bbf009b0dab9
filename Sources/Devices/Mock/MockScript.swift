public import Readings

/// The description of a simulated device and of its measurements.
public struct MockScript: Sendable {
    /// An instant of a script.
    public struct Instant: Sendable {
        /// Time since the start of the script.
        public let elapsedNanoseconds: Int64
        /// The number of the sample, counted since the start of the script at the present interval.
        public let index: Int64
        /// UTC in nanoseconds since 1970.
        public let utcNanoseconds: Int64

        init(elapsedNanoseconds: Int64, index: Int64, utcNanoseconds: Int64) {
            self.elapsedNanoseconds = elapsedNanoseconds
            self.index = index
            self.utcNanoseconds = utcNanoseconds
        }

        /// The start of the script.
        public init(beginning utcNanoseconds: Int64?) {
            self.init(elapsedNanoseconds: 0, index: 0, utcNanoseconds: utcNanoseconds ?? 0)
        }
    }

    /// The kind that it measures.
    public let kind: Kind
    /// The intervals that it offers, in nanoseconds, ascending; not empty.
    public let offeredNanoseconds: [Int64]
    /// The interval without a demand.
    public let ownNanoseconds: Int64
    /// A description for people.
    public let description: String
    /// The measurement at an instant, which depends on that alone.
    package let measure: @Sendable (Instant) -> Measurement

    /// Creates the script of a device.
    package init(
        _ kind: Kind, offeredNanoseconds: [Int64], ownNanoseconds: Int64, description: String,
        measure: @escaping @Sendable (Instant) -> Measurement
    ) {
        self.kind = kind
        self.offeredNanoseconds = offeredNanoseconds
        self.ownNanoseconds = ownNanoseconds
        self.description = description
        self.measure = measure
    }

    /// The longest offered interval within the demanded one, else the shortest one.
    func interval(for demand: Demand) -> Int64 {
        let asked = demand.intervalNanoseconds ?? ownNanoseconds
        return offeredNanoseconds.last { $0 <= asked } ?? offeredNanoseconds.first ?? ownNanoseconds
    }
}
