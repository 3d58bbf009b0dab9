internal import Delivery
internal import Platform

/// The descriptors that the loop waits for, each with its owner, and those that were ready in this turn.
final class Poller {
    private var loop: EventLoop
    /// What was ready when the last wait ended.
    private(set) var ready: [ReadyDescriptor] = []

    init() throws(SystemError) { loop = try EventLoop() }

    func add(_ number: Int32, _ interest: EventLoop.Interest, for owner: Awaited) throws(SystemError) {
        try loop.add(number, interest, token: owner.bits)
    }

    func change(_ number: Int32, _ interest: EventLoop.Interest, for owner: Awaited) throws(SystemError) {
        try loop.change(number, interest, token: owner.bits)
    }

    /// Stops watching a descriptor; does nothing if it was not watched.
    func remove(_ number: Int32) { loop.remove(number) }

    /// Waits until something is ready or this many nanoseconds have passed (nil: without end).
    func wait(nanoseconds: Int64?, isHeldUp: () -> Bool) throws(SystemError) {
        try loop.wait(nanoseconds: nanoseconds, into: &ready, isHeldUp: isHeldUp)
    }
}

/// The owner of a descriptor in the event loop, as the 64 bits of epoll's user data: a connection, or a source by its
/// place.
///
/// The upper half is a connection's generation. The highest bit of the lower half marks a source: no process can have
/// so many connections that a place would need that bit.
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
