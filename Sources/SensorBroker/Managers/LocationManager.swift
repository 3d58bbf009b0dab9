/// The host's location; create one wherever it is needed.
///
/// This is a small value: a copy is the same manager. All managers of a broker share its connection, and those with
/// equal requests share a subscription. Creating one does not switch the receiver on; listening does.
public struct LocationManager: LocationService {
    private let core: ManagerCore

    /// Creates a manager of a location.
    public init(broker: Broker = .shared, resource: ResourceName = .location, updateInterval: Duration? = nil) {
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
    /// Nil: the resource's default. Zero: every reading.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        nonmutating set { mutateRequest { $0.interval = newValue } }
    }

    /// The smallest distance between readings in metres, applied by the broker; nil: no filter.
    public var distanceFilter: Double? {
        get { request.minimumChange }
        nonmutating set { mutateRequest { $0.minimumChange = newValue } }
    }

    /// The largest acceptable error in metres, applied here; nil: no filter.
    ///
    /// Readings with an unknown error are left out.
    ///
    /// It does not make the receiver more accurate. ``requestLocation(maximumAge:timeout:)`` waits for a reading that
    /// is accurate enough, and at its deadline returns the best one that came.
    public var desiredAccuracy: Double? {
        get { core.tuning.accuracyMeters }
        nonmutating set { core.tuning.accuracyMeters = newValue }
    }

    /// How old ``latest`` may be; older readings count as unknown.
    ///
    /// Nil: no limit.
    public var maximumAge: Duration? {
        get { core.tuning.maximumAge }
        nonmutating set { core.tuning.maximumAge = newValue }
    }

    /// The newest valid reading, whoever asked for it.
    public var latest: Reading<Location>? { core.newest() }

    /// The receiver's state; nil until it is known.
    public var state: ResourceState? { core.tuning.session.state(of: request.resource) }

    /// The receiver's events, from the start of an iteration on.
    public var events: SensorEvents<Location> {
        let tuning = core.tuning
        return tuning.events { tuning.isAcceptable($0) }
    }

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
        _ delegate: (any SensorDelegate<Location>)?, on executor: (any TaskExecutor)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) {
        core.delegate(events, to: delegate, on: executor, isolation)
    }

    /// Requests one location of at most this age.
    ///
    /// It returns or throws within the timeout.
    public func requestLocation(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Location> {
        if let fault = core.tuning.accuracyFault { throw fault }
        let resource = request.resource
        let measured = try await core.tuning.session.read(
            resource, maximumAge: maximumAge, timeout: timeout, accuracyMeters: desiredAccuracy)
        guard let reading = Reading<Location>(measured) else { throw .wrongKind(resource) }
        return reading
    }
}
