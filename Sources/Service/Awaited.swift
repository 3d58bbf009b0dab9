internal import Delivery

/// What a descriptor in the event loop belongs to, as the 64 bits of epoll's user data: a connection, or a source by its place.
///
/// The upper half is a connection's generation. The highest bit of the lower half marks a source: no process can have so many
/// connections that a place needs that bit.
enum Awaited: Equatable {
    case connection(ConnectionToken)
    case source(Int)

    private static let sourceBit: UInt32 = 1 << 31

    init(_ bits: UInt64) {
        let place = UInt32(truncatingIfNeeded: bits)
        self =
            place & Self.sourceBit != 0
            ? .source(Int(place & ~Self.sourceBit))
            : .connection(ConnectionToken(place: place, generation: UInt32(truncatingIfNeeded: bits >> 32)))
    }

    var bits: UInt64 {
        switch self {
        case .connection(let token):
            precondition(token.place & Self.sourceBit == 0)
            return UInt64(token.generation) << 32 | UInt64(token.place)
        case .source(let place):
            precondition(place >= 0 && place < Int(Self.sourceBit))
            return UInt64(Self.sourceBit) | UInt64(UInt32(truncatingIfNeeded: place))
        }
    }
}
