/// The host's accelerometer; create one wherever it is needed.
public typealias Accelerometer = VectorSensor<AccelerationKind>

/// The host's gyroscope; create one wherever it is needed.
public typealias Gyroscope = VectorSensor<AngularVelocityKind>

/// A sensor of the host with three axes; create one wherever it is needed.
///
/// This is a small value: a copy is the same manager. All managers of a broker share its connection, and those with
/// equal requests share a subscription. Creating one does not switch the sensor on; listening does.
public struct VectorSensor<Of: VectorKind>: SensorService {
    private let core: ManagerCore

    /// Creates a manager of a sensor; without a name, of the first one of its kind.
    public init(
        broker: Broker = .shared, resource: ResourceName = Of.kind.row.firstResource, updateInterval: Duration? = nil
    ) {
        var request = SensorRequest(resource)
        request.interval = updateInterval
        core = ManagerCore(broker, request)
    }

    /// The request to the broker; may be set while readings come.
    public var request: SensorRequest {
        get { core.tuning.request }
        nonmutating set { core.tuning.request = newValue }
    }

    /// The interval of readings.
    ///
    /// Nil: the resource's default. Zero: every sample.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        nonmutating set { request.interval = newValue }
    }

    /// The newest valid reading, whoever asked for it.
    public var latest: Reading<Vector<Of>>? {
        core.tuning.session.newest(of: request.resource).flatMap { Reading($0) }
    }

    /// The sensor's state; nil until it is known.
    public var state: ResourceState? { core.tuning.session.state(of: request.resource) }

    /// The sensor's events, from the start of an iteration on.
    public var events: SensorEvents<Vector<Of>> { core.tuning.events() }

    /// Keeps ``latest`` up to date without an iteration, until ``stopUpdates()`` or the end of the manager.
    public func startUpdates() { core.startUpdates() }

    /// Stops keeping ``latest`` up to date.
    public func stopUpdates() { core.stopUpdates() }

    /// Sets the delegate, which is not retained; nil removes it.
    ///
    /// It is called on the given executor, else on its own if it is an actor, else on the shared one of all tasks.
    public func setDelegate(
        _ delegate: (any SensorDelegate<Vector<Of>>)?, on executor: (any TaskExecutor)? = nil
    ) {
        core.delegate(events, to: delegate, on: executor)
    }

    /// Requests one reading of at most this age.
    ///
    /// It returns or throws within the timeout.
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
    /// Requests one reading of at most this age.
    ///
    /// It returns or throws within the timeout.
    public func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration> {
        try await requestReading(maximumAge: maximumAge, timeout: timeout)
    }
}
