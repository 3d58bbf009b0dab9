internal import Synchronization

/// A program's way to the sensors of its host.
///
/// ``shared`` is the one that everybody means who does not name another: made on first use, the same object always. All
/// managers that are made with one broker share its connection, its subscriptions and its newest readings. Making a
/// broker neither fails nor waits; the connection is made when somebody wants something, and made again when it breaks.
public final class Broker: Sendable {
    /// The one broker of this process.
    public static let shared = Broker(SharedConfiguration.take())

    let session: Session

    /// A further broker: for another instance of the daemon, or for tests.
    public init(_ configuration: Configuration) { session = Session(configuration) }

    /// A further broker: the daemon behind a socket.
    public convenience init(socket: String) { self.init(Configuration(.daemon(socket: socket))) }

    /// Decides how ``shared`` reaches its daemon, instead of the environment; only before it is first used.
    ///
    /// Throws ``SensorError/invalidRequest(_:)`` afterwards, since what others hold already cannot be changed.
    public static func configureShared(_ configuration: Configuration) throws(SensorError) {
        guard SharedConfiguration.put(configuration) else {
            throw .invalidRequest("Broker.shared is in use already: configure it first thing in the program")
        }
    }

    /// The resources of the host and how they are doing.
    public func resources() async throws(SensorError) -> [Resource] { try await session.resources() }

    /// What happens to the connection and to the resources, from now on.
    public var lifecycle: LifecycleEvents { LifecycleEvents(session) }

    /// Gives up subscriptions; returns how many.
    ///
    /// Those that somebody listens to stay, unless they are to go too: their listeners end with
    /// ``SensorError/cancelled``.
    @discardableResult
    public func release(_ scope: ReleaseScope, evenInUse: Bool = false) -> Int {
        session.release(scope, evenInUse: evenInUse)
    }

    /// What is in use at present.
    public var usage: Usage { session.usage() }
}

extension Broker {
    /// The newest location, while it may be believed; nil where none is known.
    public var location: Location? { locationReading?.value }

    /// The newest acceleration, while it may be believed; nil where none is known.
    public var acceleration: Acceleration? { accelerationReading?.value }

    /// The newest location, with its time.
    public var locationReading: Reading<Location>? { newest(.location) }

    /// The newest acceleration, with its time.
    public var accelerationReading: Reading<Acceleration>? { newest(.accelerometer) }

    /// The newest reading of a resource; nil where none is known, or it measures something else.
    func newest<Value: Measurable>(_ resource: ResourceName) -> Reading<Value>? {
        session.newest(of: resource).flatMap { Reading($0) }
    }
}
