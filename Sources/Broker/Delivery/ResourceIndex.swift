/// A number that names one thing of a sort, such as a resource, so that no other number can be taken for it.
public protocol Ordinal: Hashable, Comparable, ExpressibleByIntegerLiteral, Sendable {
    /// The number itself, counted from 0.
    var number: Int { get }
    /// The thing with a number.
    init(_ number: Int)
}

extension Ordinal {
    /// Whether it is counted before the other.
    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }

    /// The thing with a number.
    public init(integerLiteral number: Int) { self.init(number) }

    /// The first ones, up to a count.
    static func first(_ count: Int) -> some Sequence<Self> { (0..<count).lazy.map { Self($0) } }
}

/// A resource of a broker, which it names as long as the process runs.
public struct ResourceIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}

/// A lane of a resource, until another lane of it goes.
public struct LaneIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}

/// A derivation of a broker, which it names as long as the process runs.
public struct DerivationIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}
