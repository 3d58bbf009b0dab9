/// The host's location, to be had wherever it is needed.
///
/// A small value: a copy is the same manager. All managers of a broker share its connection, and those that want the same
/// share a subscription. Making one costs no receiver any power; listening does.
public struct LocationManager: LocationService {
    private let core: ManagerCore

    /// A manager of a location.
    public init(broker: Broker = .shared, resource: ResourceName = .location, updateInterval: Duration? = nil) {
        var request = SensorRequest(resource)
        request.interval = updateInterval
        core = ManagerCore(broker, request)
    }

    /// What is asked of the broker; may be set while readings come.
    public var request: SensorRequest {
        get { core.tuning.request }
        nonmutating set { core.tuning.request = newValue }
    }

    /// The interval of the readings; nil: the resource's default, zero: every one.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        nonmutating set { request.interval = newValue }
    }

    /// Readings that are less far from the one before are left out, by the broker; metres, nil: none are.
    public var distanceFilter: Double? {
        get { request.minimumChange }
        nonmutating set { request.minimumChange = newValue }
    }

    /// Readings whose error is larger, or not known, are left out here; metres, nil: none are.
    ///
    /// A receiver does what it can in any case: this tells what is of use. ``requestLocation(maximumAge:timeout:)`` waits
    /// for a reading that is exact enough, and when time is up answers with the best that there was.
    public var desiredAccuracy: Double? {
        get { core.tuning.accuracyMeters }
        nonmutating set { core.tuning.accuracyMeters = newValue }
    }

    /// The newest reading of anybody's, while it may be believed.
    public var latest: Reading<Location>? {
        core.tuning.session.newest(of: request.resource).flatMap { Reading($0) }
    }

    /// How the receiver is doing; nil before anything was heard.
    public var state: ResourceState? { core.tuning.session.state(of: request.resource) }

    /// What it says, from the beginning of an iteration on.
    public var events: SensorEvents<Location> {
        let tuning = core.tuning
        return tuning.events { location in tuning.accuracyMeters.map { location.isWithin(meters: $0) } ?? true }
    }

    /// Keeps ``latest`` new although nobody iterates, until ``stopUpdates()`` or the end of the manager.
    public func startUpdates() { core.startUpdates() }

    /// No longer keeps ``latest`` new.
    public func stopUpdates() { core.stopUpdates() }

    /// Tells a delegate, which is not kept alive, from now on; nil: nobody any more.
    ///
    /// On the executor given, or the delegate's own if it is an actor; else on the one that all tasks share.
    public func setDelegate(_ delegate: (any SensorDelegate<Location>)?, on executor: (any TaskExecutor)? = nil) {
        core.delegate(events, to: delegate, on: executor)
    }

    /// One location, not older than so much; always an answer, by then.
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
