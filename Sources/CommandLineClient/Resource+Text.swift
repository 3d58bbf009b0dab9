internal import BrokerClient

extension Resource {
    /// State, and why it is in it.
    var stateText: String { reason.map { "\(state): \($0)".printable } ?? state.printable }
}
