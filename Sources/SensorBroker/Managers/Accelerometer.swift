/// The host's accelerometer; create one wherever it is needed.
public typealias Accelerometer = VectorSensor<AccelerationKind>

/// The host's gyroscope; create one wherever it is needed.
public typealias Gyroscope = VectorSensor<AngularVelocityKind>

/// The host's magnetometer; create one wherever it is needed.
public typealias Magnetometer = VectorSensor<MagneticFieldKind>

/// The host's sensor of gravity; create one wherever it is needed.
public typealias GravitySensor = VectorSensor<GravityKind>

/// The host's sensor of acceleration without gravity; create one wherever it is needed.
public typealias LinearAccelerometer = VectorSensor<LinearAccelerationKind>

/// The host's inclinometer; create one wherever it is needed.
public typealias Inclinometer = VectorSensor<InclinationKind>

/// The host's compass; create one wherever it is needed.
public typealias Compass = KindSensor<Heading>

/// The host's sensor of attitude; create one wherever it is needed.
public typealias RotationSensor = KindSensor<Rotation>

/// The host's light sensor; create one wherever it is needed.
public typealias LightSensor = KindSensor<Illuminance>

/// The host's proximity sensor; create one wherever it is needed.
public typealias ProximitySensor = KindSensor<Proximity>

/// The host's barometer; create one wherever it is needed.
public typealias Barometer = KindSensor<Pressure>

/// The host's thermometer; create one wherever it is needed.
public typealias Thermometer = KindSensor<Temperature>

/// The host's hygrometer; create one wherever it is needed.
public typealias Hygrometer = KindSensor<Humidity>

/// The host's voltmeter; create one wherever it is needed.
public typealias Voltmeter = KindSensor<Voltage>

/// The host's ammeter; create one wherever it is needed.
public typealias Ammeter = KindSensor<Current>

/// A sensor of the host with three axes.
public typealias VectorSensor<Of: VectorKind> = KindSensor<Vector<Of>>

/// A sensor of the host that measures one kind; create one wherever it is needed.
///
/// This is a small value: a copy is the same manager. All managers of a broker share its connection, and those with
/// equal requests share a subscription. Creating one does not switch the sensor on; listening does.
public struct KindSensor<Value: KindMeasurable>: SensorService {
    private let core: ManagerCore

    /// Creates a manager of a sensor; without a name, of the first one of its kind.
    public init(
        broker: Broker = .shared, resource: ResourceName = Value.kind.row.firstResource, updateInterval: Duration? = nil
    ) {
        var request = SensorRequest(resource)
        request.interval = updateInterval
        core = ManagerCore(broker, request)
    }

    /// The request to the broker.
    public var request: SensorRequest { core.tuning.request }

    /// Changes the request, also while readings come: `mutateRequest { $0.filter = .mean }`.
    ///
    /// Changes that other threads make at the same time are kept. If there is one, the closure runs again, so it should
    /// only change the request. An invalid request is refused: running streams keep the former one and are told
    /// (``SensorEvent/refused(_:)``), and new ones end with the error.
    public func mutateRequest(_ body: (inout SensorRequest) -> Void) { core.tuning.mutateRequest(body) }

    /// The interval of readings.
    ///
    /// Nil: the resource's default. Zero: every sample.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        nonmutating set { mutateRequest { $0.interval = newValue } }
    }

    /// How old ``latest`` may be; older readings count as unknown.
    ///
    /// Nil: no limit.
    public var maximumAge: Duration? {
        get { core.tuning.maximumAge }
        nonmutating set { core.tuning.maximumAge = newValue }
    }

    /// The newest valid reading, whoever asked for it.
    public var latest: Reading<Value>? { core.newest() }

    /// The sensor's state; nil until it is known.
    public var state: ResourceState? { core.tuning.session.state(of: request.resource) }

    /// The sensor's events, from the start of an iteration on.
    public var events: SensorEvents<Value> { core.tuning.events() }

    /// Keeps ``latest`` up to date without an iteration, until ``stopUpdates()`` or the end of the manager.
    ///
    /// If that fails, ``updateError`` says why. After a release or a failure, another call starts again.
    public func startUpdates() { core.startUpdates() }

    /// Why ``latest`` is not kept up to date although ``startUpdates()`` was called; nil if it is.
    ///
    /// ``SensorError/cancelled`` after a release. An invalid request is replaced by the next valid one.
    public var updateError: SensorError? { core.updateError }

    /// Stops keeping ``latest`` up to date.
    public func stopUpdates() { core.stopUpdates() }

    /// Sets the delegate, which is not retained; nil removes it.
    ///
    /// An actor is called on its own executor, a class of the main actor there. Any other class is called on the given
    /// executor, else on the shared one of all tasks. A delegate that is removed where it is called is not called any more;
    /// for a class of the main actor, that is so if it was also set there. When the delegate is gone, its subscription ends
    /// within a second.
    public func setDelegate(
        _ delegate: (any SensorDelegate<Value>)?, on executor: (any TaskExecutor)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) {
        core.delegate(events, to: delegate, on: executor, isolation)
    }

    /// Requests one reading of at most this age.
    ///
    /// It returns or throws within the timeout.
    public func requestReading(
        maximumAge: Duration = .zero, timeout: Duration = .seconds(10)
    ) async throws(SensorError) -> Reading<Value> {
        let resource = request.resource
        let measured = try await core.tuning.session.read(resource, maximumAge: maximumAge, timeout: timeout)
        guard let reading = Reading<Value>(measured) else { throw .wrongKind(resource) }
        return reading
    }
}

extension KindSensor: AccelerometerService where Value == Acceleration {
    /// Requests one reading of at most this age.
    ///
    /// It returns or throws within the timeout.
    public func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration> {
        try await requestReading(maximumAge: maximumAge, timeout: timeout)
    }
}
