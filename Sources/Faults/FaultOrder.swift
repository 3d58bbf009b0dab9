/// What is to happen to a device: a fault begins, or ends.
public enum FaultOrder: Equatable, Sendable {
    /// It begins, and lasts so long; nil: as long as usual for its kind.
    case begin(Fault, nanoseconds: Int64?)
    /// The faults of a kind end, or, with nil, all of them.
    case end(FaultKind?)
}
