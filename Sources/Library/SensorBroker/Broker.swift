@_exported public import SensorServices
public import Observation

/// A program's connection to the sensors of its host.
///
/// ``shared`` is the default: it is created on first use and stays the same object. All managers of one broker share
/// its connection, its subscriptions and its newest readings. Creating a broker neither fails nor waits. It connects
/// when something needs the connection, and reconnects when the connection breaks.
///
/// A broker belongs to its process. In a fork of it, everything ends with ``/SensorServices/SensorError/forked``. Start programs with `exec` or
/// `posix_spawn` instead.
public final class Broker: BrokerService, Observable, Sendable {
    /// The one broker of this process.
    public static let shared = Broker(SharedConfiguration.present.take())

    /// The broker of code that does not name one: ``shared``, except within ``withCurrent(_:_:)``.
    public static var current: Broker { replacement ?? shared }

    /// What takes the place of ``shared`` for the code that runs now; nil: nothing.
    @TaskLocal static var replacement: Broker?

    /// Runs a closure in which another broker takes the place of ``shared``, for all sensors and views that name none, wherever
    /// they were made.
    ///
    /// The choice holds for this task and the tasks that it starts, so tests that run at once do not disturb each
    /// other.
    public static func withCurrent<Result>(_ broker: Broker, _ body: () throws -> Result) rethrows -> Result {
        try $replacement.withValue(broker, operation: body)
    }

    /// The same for a closure that waits.
    public static func withCurrent<Result>(
        _ broker: Broker, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $replacement.withValue(broker, operation: body, isolation: isolation)
    }

    let session: Session
    /// The sensors that stand here for those of other brokers.
    let standIns = StandIns()

    /// Creates another broker, for another instance of the daemon or for tests.
    public init(_ configuration: Configuration) { session = Session(configuration) }

    /// A broker of a session.
    init(_ session: Session) { self.session = session }

    /// Creates another broker that gets its readings this way: `Broker(.mock)`.
    public convenience init(_ transport: Transport) { self.init(Configuration(transport)) }

    /// The broker within this process that it uses; nil if that is another process.
    package func localBroker() throws(SensorError) -> (any LocalBroker)? { try session.core.dialer.local() }

    /// Creates another broker for the daemon behind a socket.
    public convenience init(socket: String) { self.init(.daemon(socket: socket)) }

    /// Sets how ``shared`` reaches its daemon, instead of the environment.
    ///
    /// Call it before ``shared`` is first used, in one place. A transport `.daemon` without a socket still heeds SENSORBROKER_SOCKET.
    ///
    /// Throws ``/SensorServices/SensorError/invalidRequest(_:)`` afterwards, since others may hold the shared broker already, and if there
    /// is another configuration already, since somebody counts on that one.
    public static func configureShared(_ configuration: Configuration) throws(SensorError) {
        try SharedConfiguration.present.put(configuration)
    }

    /// The resources of the host and their states.
    public nonisolated(nonsending) func resources() async throws(SensorError) -> [SensorResource] {
        try await session.resources()
    }

    /// Events of the connection and of the resources, from now on.
    public var lifecycle: LifecycleEvents {
        LifecycleEvents { [session] in
            let mailbox = Mailbox(LifecycleBuffer(capacity: 64))
            let id = session.follow(mailbox)
            return LifecycleSource(mailbox) { if let id { session.unfollow(id) } }
        }
    }

    /// Ends subscriptions and returns their number.
    ///
    /// Subscriptions that have listeners stay, unless `evenInUse` is set: then their listeners end with
    /// ``/SensorServices/SensorError/cancelled``.
    @discardableResult
    public func release(_ scope: ReleaseScope, evenInUse: Bool) -> Int {
        session.release(scope, evenInUse: evenInUse)
    }

    /// What the broker uses at present.
    public var usage: BrokerUsage { session.usage() }
}

extension Broker {
    /// The newest valid location; nil if none is known.
    public var location: Location? { locationReading?.value }

    /// The newest valid acceleration; nil if none is known.
    public var acceleration: Acceleration? { accelerationReading?.value }

    /// The newest valid location with its time.
    public var locationReading: Reading<Location>? { latest(of: LocationManager.self) }

    /// The newest valid acceleration with its time.
    public var accelerationReading: Reading<Acceleration>? { latest(of: Accelerometer.self) }

    /// The newest valid reading of a sensor of any kind, which need not be made: `broker.latest(of: Gyroscope.self)?.value.z`.
    ///
    /// The result is nil if none is known, or if the resource measures something else. A ``Latest`` that reads it keeps
    /// it up to date at this interval; nil: at the interval of the ``Latest``, else the resource's default.
    public func latest<Value>(
        of sensor: Sensor<Value>.Type, resource: ResourceName = Value.firstResource, every interval: Duration? = nil
    ) -> Reading<Value>? {
        session.observed(resource).readValue()
        let upkeep = Upkeep.present
        let request = SensorRequest(Value.self, of: resource, every: interval ?? upkeep?.interval)
        upkeep?.keep(request, of: self) { Lease(Tuning(session, request)) }
        guard let measured = session.newest(for: request, maximumAge: upkeep?.maximumAge) else { return nil }
        let reading = Reading<Value>(measured)
        if reading == nil, !measured.isIncomplete(Value.self) {
            upkeep?.fault = .wrongKind(resource)
        } else if upkeep?.fault == .wrongKind(resource) {
            // A daemon that was started again may have another sensor of that name.
            upkeep?.fault = nil
        }
        return reading
    }
}
