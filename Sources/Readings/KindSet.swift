/// A set of kinds.
public struct KindSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    private static func bit(of kind: Kind) -> UInt64 { 1 << UInt64(kind.number) }

    /// Every kind.
    public static let all = Self(Kind.all)

    /// Creates a set of kinds.
    public init(_ kinds: some Sequence<Kind>) { for kind in kinds { insert(kind) } }

    /// Creates a set of kinds.
    public init(arrayLiteral kinds: Kind...) { self.init(kinds) }

    /// Whether the set is empty.
    public var isEmpty: Bool { bits == 0 }

    /// Its kinds, in the order of the table.
    public var kinds: [Kind] { Kind.all.filter(contains) }

    /// Whether it contains a kind.
    public func contains(_ kind: Kind) -> Bool { bits & Self.bit(of: kind) != 0 }

    /// Adds a kind.
    public mutating func insert(_ kind: Kind) { bits |= Self.bit(of: kind) }

    /// The kinds in either set.
    public func union(_ other: Self) -> Self {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// The kinds in both sets.
    public func intersection(_ other: Self) -> Self {
        var intersection = self
        intersection.bits &= other.bits
        return intersection
    }
}
