public import Admission

/// What all clients together may use of the server, and each user's share of it.
public final class Quotas {
    /// Connections for readings.
    public let connections = Quota(Limits.connections)
    /// Connections for administrators.
    public let administration = Quota(Limits.administration)
    /// Connections of programs that provide resources.
    public let providers = Quota(Limits.providers)
    /// Streams.
    public let subscriptions = Quota(Limits.subscriptions)
    /// Requests with labels.
    public let labels = Quota(Limits.labels)
    /// Bytes that the kernel holds for clients.
    public let queues = Quota(Limits.queues)
    /// Bytes that this process holds: batches, unsent bytes, and incomplete calls.
    public let bytes = Quota(Limits.bytes)

    /// Quotas with nothing charged.
    public init() {}

    /// Sets other limits, which hold from now on; a user who has more keeps it.
    ///
    /// Trusted users may have three quarters of the total, so that something is left for others.
    public func adopt(connections: Quota.Terms, subscriptions: Quota.Terms) {
        for (quota, wanted) in [(self.connections, connections), (self.subscriptions, subscriptions)] {
            quota.terms = Quota.Terms(
                total: connections.total, perUser: wanted.perUser, perTrustedUser: connections.total / 4 * 3)
        }
    }

    /// Whether there are streams, which calls and connects of others could hold up.
    var hasStreams: Bool { subscriptions.charged > 0 }

    func connections(for door: Door) -> Quota {
        switch door {
        case .clients: connections
        case .administrators: administration
        case .providers: providers
        }
    }
}
