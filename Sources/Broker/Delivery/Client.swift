/// A member of a lane: a client's connection, or a derived resource.
///
/// The identifiers of both are of different types, so that neither can be taken for the other.
public enum Client: Hashable, Sendable {
    /// A request of a connection, by its number: a connection may have several requests for one resource; 0: the only one, which
    /// needs no number.
    case connection(ConnectionToken, request: UInt32 = 0)
    /// A derivation, which makes another resource out of this one.
    case derivation(DerivationIndex)
}

/// Identifies a connection, also among earlier ones in the same slot.
public struct ConnectionToken: Hashable, Sendable {
    /// The connection's slot among the open ones; a later connection may reuse it.
    public let slot: UInt32
    /// Increases with each connection, and wraps around after 2³² of them.
    public let generation: UInt32

    /// The token of a slot and a generation.
    public init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}
