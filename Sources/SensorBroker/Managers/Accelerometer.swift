/// The host's accelerometer, to be made wherever it is needed.
public typealias Accelerometer = VectorSensor<AccelerationKind>

/// The host's gyroscope, to be made wherever it is needed.
public typealias Gyroscope = VectorSensor<AngularVelocityKind>

/// A sensor of the host that measures along three axes, to be made wherever it is needed.
///
/// A small value: a copy is the same manager. All managers of a broker share its connection, and those that want the same
/// share a subscription. Making one costs no sensor any power; listening does.
public struct VectorSensor<Of: VectorKind>: SensorService {
    private let core: ManagerCore

    /// A manager of a sensor: of the first one of its kind where none is named.
    public init(
        broker: Broker = .shared, resource: ResourceName = Of.kind.row.firstResource, updateInterval: Duration? = nil
    ) {
        var request = SensorRequest(resource)
        request.interval = updateInterval
        core = ManagerCore(broker, request)
    }

    /// What is asked of the broker; may be set while readings come.
    public var request: SensorRequest {
        get { core.tuning.request }
        nonmutating set { core.tuning.request = newValue }
    }

    /// The interval of the readings; nil: the resource's default, zero: every sample.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        nonmutating set { request.interval = newValue }
    }

    /// The newest reading of anybody's, while it may be believed.
    public var latest: Reading<Vector<Of>>? {
        core.tuning.session.newest(of: request.resource).flatMap { Reading($0) }
    }

    /// How the sensor is doing; nil before anything was heard.
    public var state: ResourceState? { core.tuning.session.state(of: request.resource) }

    /// What it says, from the beginning of an iteration on.
    public var events: SensorEvents<Vector<Of>> { core.tuning.events() }

    /// Keeps ``latest`` new although nobody iterates, until ``stopUpdates()`` or the end of the manager.
    public func startUpdates() { core.startUpdates() }

    /// No longer keeps ``latest`` new.
    public func stopUpdates() { core.stopUpdates() }

    /// Tells a delegate, which is not kept alive, from now on; nil: nobody any more.
    ///
    /// On the executor given, or the delegate's own if it is an actor; else on the one that all tasks share.
    public func setDelegate(
        _ delegate: (any SensorDelegate<Vector<Of>>)?, on executor: (any TaskExecutor)? = nil
    ) {
        core.delegate(events, to: delegate, on: executor)
    }

    /// One reading, not older than so much; always an answer, by then.
    public func requestReading(
        maximumAge: Duration = .zero, timeout: Duration = .seconds(10)
    ) async throws(SensorError) -> Reading<Vector<Of>> {
        let resource = request.resource
        let measured = try await core.tuning.session.read(resource, maximumAge: maximumAge, timeout: timeout)
        guard let reading = Reading<Vector<Of>>(measured) else { throw .wrongKind(resource) }
        return reading
    }
}

extension VectorSensor: AccelerometerService where Of == AccelerationKind {
    /// One reading, not older than so much; always an answer, by then.
    public func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration> {
        try await requestReading(maximumAge: maximumAge, timeout: timeout)
    }
}
