public import Delivery

/// Clients by number, for tests.
extension Client: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The client with a number.
    public init(integerLiteral number: UInt32) { self = .connection(ConnectionToken(place: number, generation: 0)) }

    /// The client with a number.
    public init(_ number: Int) { self.init(integerLiteral: UInt32(number)) }

    /// Its number.
    public var number: Int {
        switch self {
        case .connection(let token): Int(token.place)
        case .derivation(let place): place
        }
    }

    /// Its number.
    public var description: String { "\(number)" }
}

extension Client: Comparable {
    /// Ordered by number.
    public static func < (one: Client, other: Client) -> Bool { one.number < other.number }
}
