// The daemon and its clients share these values: `Location`, `Acceleration`, `ResourceName`, `ResourceState`, `BootTime`.
@_exported public import Readings
internal import Synchronization

/// A program's connection to the sensors of its host.
///
/// ``shared`` is the default: it is created on first use and stays the same object. All managers of one broker share
/// its connection, its subscriptions and its newest readings. Creating a broker neither fails nor waits. It connects
/// when something needs the connection, and reconnects when the connection breaks.
///
/// A broker belongs to its process. In a fork of it, everything ends with ``SensorError/forked``. Start programs with `exec` or
/// `posix_spawn` instead.
public final class Broker: Sendable {
    /// The one broker of this process.
    public static let shared = Broker(SharedConfiguration.present.take())

    let session: Session

    /// Creates another broker, for another instance of the daemon or for tests.
    public init(_ configuration: Configuration) { session = Session(configuration) }

    /// A broker of a session.
    init(_ session: Session) { self.session = session }

    /// Creates another broker for the daemon behind a socket.
    public convenience init(socket: String) { self.init(Configuration(.daemon(socket: socket))) }

    /// Sets how ``shared`` reaches its daemon, instead of the environment.
    ///
    /// Call it before ``shared`` is first used, in one place.
    ///
    /// Throws ``SensorError/invalidRequest(_:)`` afterwards, since others may hold the shared broker already, and if there
    /// is another configuration already, since somebody counts on that one.
    public static func configureShared(_ configuration: Configuration) throws(SensorError) {
        try SharedConfiguration.present.put(configuration)
    }

    /// The resources of the host and their states.
    public func resources() async throws(SensorError) -> [Resource] { try await session.resources() }

    /// Events of the connection and of the resources, from now on.
    public var lifecycle: LifecycleEvents { LifecycleEvents(session) }

    /// Ends subscriptions and returns their number.
    ///
    /// Subscriptions that have listeners stay, unless `evenInUse` is set: then their listeners end with
    /// ``SensorError/cancelled``.
    @discardableResult
    public func release(_ scope: ReleaseScope, evenInUse: Bool = false) -> Int {
        session.release(scope, evenInUse: evenInUse)
    }

    /// What the broker uses at present.
    public var usage: Usage { session.usage() }
}

extension Broker {
    /// The newest valid location; nil if none is known.
    public var location: Location? { locationReading?.value }

    /// The newest valid acceleration; nil if none is known.
    public var acceleration: Acceleration? { accelerationReading?.value }

    /// The newest valid location with its time.
    public var locationReading: Reading<Location>? { newest(.location) }

    /// The newest valid acceleration with its time.
    public var accelerationReading: Reading<Acceleration>? { newest(.accelerometer) }

    /// The newest reading of a resource; nil if none is known, or if it measures something else.
    ///
    /// A ``Latest`` that reads it keeps it up to date, at the resource's default interval.
    func newest<Value: Measurable>(_ resource: ResourceName) -> Reading<Value>? {
        let upkeep = Upkeep.present
        upkeep?.keep(resource, of: self) { Lease(Tuning(session, SensorRequest(resource))) }
        return session.newest(of: resource, maximumAge: upkeep?.maximumAge).flatMap { Reading($0) }
    }
}

/// What a broker uses at present, for tests and diagnosis.
public struct Usage: Equatable, Sendable {
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
}
