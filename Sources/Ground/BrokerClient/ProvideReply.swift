public import Varlink

/// What the broker replies to a provider: what is wanted from now on, and what was refused.
public struct ProvideReply: Equatable, Sendable {
    /// Samples that clients do not get.
    public struct Refusal: Equatable, Sendable {
        /// How many.
        public let count: Int64
        /// Why the last of them was refused, for people.
        public let reason: String
    }

    /// Whether any client wants samples.
    public let isWanted: Bool
    /// The longest interval that is enough for all clients; nil: as the provider likes.
    public let intervalNanoseconds: Int64?
    /// How long samples may be gathered before they are sent.
    public let latencyNanoseconds: Int64
    /// What was refused since the last reply that reported it.
    public let refused: Refusal?
    /// Whether samples may come with how many before them were not sent; an earlier broker would refuse them.
    public let takesMissing: Bool

    /// Parses a reply's parameters.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        isWanted = try parameters.bool("wanted")
        intervalNanoseconds = try parameters.optionalInteger("intervalNanoseconds", in: 0 ... .max)
        latencyNanoseconds = try parameters.optionalInteger("latencyNanoseconds", in: 0 ... .max) ?? 0
        takesMissing = try parameters.optionalBool("takesMissing") ?? false
        refused = try parameters.optionalObject("refused").map { object throws(VarlinkError) in
            Refusal(count: try object.integer("count", in: 0 ... .max), reason: try object.string("reason"))
        }
    }
}
