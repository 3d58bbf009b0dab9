/// A program's connection to the sensors of a host, real or not.
///
/// Code that looks at resources, follows what happens to the connection, or gives subscriptions up, should take one in its
/// `init`. Code on several actors takes an `any BrokerService & Sendable`.
public protocol BrokerService: AnyObject {
    /// The resources of the host and their states.
    nonisolated(nonsending) func resources() async throws(SensorError) -> [SensorResource]

    /// Events of the connection and of the resources, from now on.
    var lifecycle: LifecycleEvents { get }

    /// Ends subscriptions and returns their number.
    ///
    /// Subscriptions that have listeners stay, unless `evenInUse` is set: then their listeners end with
    /// ``SensorError/cancelled``.
    @discardableResult func release(_ scope: ReleaseScope, evenInUse: Bool) -> Int

    /// What the broker uses at present.
    var usage: BrokerUsage { get }
}

extension BrokerService {
    /// Ends unused subscriptions and returns their number.
    @discardableResult public func release(_ scope: ReleaseScope) -> Int { release(scope, evenInUse: false) }
}

/// What a broker uses at present, for tests and diagnosis.
public struct BrokerUsage: Hashable, Codable, Sendable {
    /// Connections to the broker.
    public var connections: Int
    /// Distinct requests that are subscribed to.
    public var subscriptions: Int
    /// Subscriptions without listeners, kept for reuse.
    public var unusedSubscriptions: Int
    /// Managers, and followers of lifecycle events.
    public var managers: Int
    /// Running iterations, delegates and property wrappers.
    public var listeners: Int

    /// Creates numbers, for a double of a broker.
    public init(
        connections: Int = 0, subscriptions: Int = 0, unusedSubscriptions: Int = 0, managers: Int = 0,
        listeners: Int = 0
    ) {
        self.connections = connections
        self.subscriptions = subscriptions
        self.unusedSubscriptions = unusedSubscriptions
        self.managers = managers
        self.listeners = listeners
    }
}

extension BrokerUsage: CustomStringConvertible {
    /// All numbers in one line: `connections 1, subscriptions 2, unused 0, managers 3, listeners 4`.
    public var description: String {
        "connections \(connections), subscriptions \(subscriptions), unused \(unusedSubscriptions), managers \(managers), "
            + "listeners \(listeners)"
    }
}
