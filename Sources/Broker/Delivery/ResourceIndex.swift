/// A number with a type of its own, so that the number of a lane cannot be taken for that of a resource.
public protocol Ordinal: Hashable, Comparable, ExpressibleByIntegerLiteral, Sendable {
    /// The number itself, counted from 0.
    var number: Int { get }
    /// The thing with a number.
    init(_ number: Int)
}

extension Ordinal {
    /// Whether the number is the smaller one.
    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }

    /// The thing with a number.
    public init(integerLiteral number: Int) { self.init(number) }

    static func first(_ count: Int) -> some Sequence<Self> { (0..<count).lazy.map { Self($0) } }
}

/// The number of a resource in its broker's catalog, valid as long as the process runs.
public struct ResourceIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}

/// The index of a lane in its resource, valid until one of the lanes goes.
public struct LaneIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}

/// The number of a derivation in its broker, valid as long as the process runs.
public struct DerivationIndex: Ordinal {
    /// Counted from 0.
    public let number: Int
    /// The one with a number.
    public init(_ number: Int) { self.number = number }
}
