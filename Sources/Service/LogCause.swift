internal import Readings

/// What a line of the log is about, as far as it may come again and again.
enum LogCause: Hashable {
    /// The process has no descriptors left for clients.
    case descriptors
    /// A user has as many connections as it may have.
    case connections(user: UInt32)
    /// A user has as many subscriptions as it may have.
    case subscriptions(user: UInt32)
    /// A user's clients have sent more of unfinished calls than may be kept.
    case calls(user: UInt32)
    /// A user's clients leave more unread than may be kept.
    case unread(user: UInt32)
    /// A client's message is no call, or was not finished in time.
    case malformed(user: UInt32)
    /// A client reads nothing.
    case stuck(user: UInt32)
    /// A device is gone, or back.
    case device(ResourceName)
}
