/// A set of kinds, each at some of a device's inputs: what a device measures, or what is wanted of it.
///
/// Where only a kind is named, its first input is meant.
public struct KindSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The kinds at their first inputs; a set without further inputs takes no memory besides.
    private var bits: UInt64 = 0
    private var further: Set<Quantity> = []
    private var hasAll = false

    private static func bit(of kind: Kind) -> UInt64 { 1 << UInt64(kind.number) }

    /// Every kind at every input.
    public static let all: Self = {
        var all = Self(Kind.all)
        all.hasAll = true
        return all
    }()

    /// Creates a set of kinds.
    public init(_ kinds: some Sequence<Kind>) { for kind in kinds { insert(kind) } }

    /// Creates a set of kinds at inputs.
    public init(of quantities: some Sequence<Quantity>) { for quantity in quantities { insert(quantity) } }

    /// Creates a set of kinds.
    public init(arrayLiteral kinds: Kind...) { self.init(kinds) }

    /// Whether the set is empty.
    public var isEmpty: Bool { bits == 0 && further.isEmpty }

    /// The kinds at their first inputs, in the order of the table.
    public var kinds: [Kind] { Kind.all.filter(contains) }

    /// All that is in the set, in the order of the table and of the inputs; of every input only the first.
    public var quantities: [Quantity] {
        guard !further.isEmpty else { return kinds.map { Quantity($0) } }
        return Kind.all.flatMap { kind in
            (contains(kind) ? [Quantity(kind)] : [])
                + further.filter { $0.kind == kind }.sorted { $0.input < $1.input }
        }
    }

    /// Whether the set contains a kind at its first input.
    public func contains(_ kind: Kind) -> Bool { bits & Self.bit(of: kind) != 0 }

    /// Whether the set contains a kind at an input.
    public func contains(_ quantity: Quantity) -> Bool {
        quantity.input == 0 ? contains(quantity.kind) : hasAll || further.contains(quantity)
    }

    /// Adds a kind at its first input.
    public mutating func insert(_ kind: Kind) { bits |= Self.bit(of: kind) }

    /// Adds a kind at an input.
    public mutating func insert(_ quantity: Quantity) {
        if quantity.input == 0 { insert(quantity.kind) } else if !hasAll { further.insert(quantity) }
    }

    /// What is in either set.
    public func union(_ other: Self) -> Self {
        if hasAll { return self }
        if other.hasAll { return other }
        var union = self
        union.bits |= other.bits
        union.further.formUnion(other.further)
        return union
    }

    /// What is in both sets.
    public func intersection(_ other: Self) -> Self {
        if hasAll { return other }
        if other.hasAll { return self }
        var intersection = self
        intersection.bits &= other.bits
        intersection.further.formIntersection(other.further)
        return intersection
    }
}
