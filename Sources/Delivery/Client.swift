/// A member of a lane: a client's connection, or a derived resource.
///
/// The two have identifiers of different types, so that one can never be taken for the other.
public enum Client: Hashable, Sendable {
    /// A connection.
    case connection(ConnectionToken)
    /// A resource that is derived from this one, by its place among the resources.
    case derivation(Int)
}
