public import Delivery

/// Clients by number, for tests.
extension Client: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The client with a number.
    public init(integerLiteral number: UInt32) { self = .connection(ConnectionToken(slot: number, generation: 0)) }

    /// The client with a number.
    public init(_ number: Int) { self.init(integerLiteral: UInt32(number)) }

    /// Its number.
    public var number: Int {
        switch self {
        case .connection(let token, _): Int(token.slot)
        case .derivation(let index): index.number
        }
    }

    /// Its number, and that of its request if it has several.
    public var description: String { label == 0 ? "\(number)" : "\(number).\(label)" }

    /// Which of its requests this is.
    var label: UInt32 { if case .connection(_, let request) = self { request } else { 0 } }

    /// One of its requests.
    func asking(_ label: UInt32) -> Client {
        if case .connection(let token, _) = self { .connection(token, request: label) } else { self }
    }
}

extension Client: Comparable {
    /// Ordered by number.
    public static func < (one: Client, other: Client) -> Bool {
        (one.number, one.label) < (other.number, other.label)
    }
}
