public import Delivery

/// Clients by numbers, as tests count them.
extension Client: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The client of a number.
    public init(integerLiteral number: UInt32) { self = .connection(ConnectionToken(place: number, generation: 0)) }

    /// The client of a number.
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
    /// By their numbers.
    public static func < (one: Client, other: Client) -> Bool { one.number < other.number }
}
