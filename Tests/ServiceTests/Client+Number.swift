public import Delivery

/// Clients by numbers, as tests count them.
extension Client: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The client of a number.
    public init(integerLiteral number: UInt32) { self = .connection(ConnectionToken(place: number, generation: 0)) }

    init(_ number: Int) { self.init(integerLiteral: UInt32(number)) }

    var number: Int {
        switch self {
        case .connection(let token): Int(token.place)
        case .derivation(let place): place
        }
    }

    /// Its number.
    public var description: String { "\(number)" }
}
