/// A sensor, real or not.
///
/// Code that uses a sensor should take one in its `init`, as an `any SensorService<Acceleration>`, or with one of the names below.
/// Code that hands it from one actor to another takes an `any SensorService<Acceleration> & Sendable`. A double may belong to the
/// main actor: `@MainActor final class FakeAccelerometer: @MainActor AccelerometerService`.
public protocol SensorService<Value>: AnyObject {
    /// What it measures.
    associatedtype Value: Sendable

    /// The request to the broker.
    var request: SensorRequest { get }

    /// Changes the request, also while readings come: `mutateRequest { $0.filter = .mean }`.
    ///
    /// Changes that other threads make at the same time are kept. If there is one, the closure runs again, so it should
    /// only change the request. An invalid request is refused: running streams keep the former one and yield
    /// ``SensorEvent/refused(_:)``, and new ones end with the error.
    func mutateRequest(_ body: (inout SensorRequest) -> Void)

    /// How old ``latest`` may be; older readings count as unknown.
    ///
    /// Nil: no limit.
    var maximumAge: Duration? { get set }

    /// The newest valid reading, whoever asked for it.
    var latest: Reading<Value>? { get }

    /// The sensor's state; nil until it is known.
    var state: ResourceState? { get }

    /// The sensor's events, from the start of an iteration on.
    var events: SensorEvents<Value> { get }

    /// Keeps ``latest`` up to date without an iteration, until ``stopUpdates()`` or the end of the sensor.
    ///
    /// If that fails, ``error`` has the reason. After a release or a failure, another call starts again.
    func startUpdates()

    /// Stops keeping ``latest`` up to date.
    func stopUpdates()

    /// Why ``latest`` is not kept up to date although ``startUpdates()`` was called; nil if it is, or is about to be.
    ///
    /// ``SensorError/cancelled`` after a release. An invalid request is replaced by the next valid one.
    var error: SensorError? { get }

    /// Sets the delegate, or removes it: what `setDelegate(_:on:)` calls.
    ///
    /// A double keeps a ``Delegation`` and passes this on to it.
    func setDelegate(reference: DelegateReference<Value>?)

    /// Requests one reading of at most this age.
    ///
    /// The call returns or throws within the timeout; for the answer of a broker, a second is allowed if that is longer. With a timeout
    /// of zero it returns what there is, a reading that is not too old, or throws ``SensorError/timedOut``. A double of the main actor
    /// states that here: `@MainActor func requestReading…`
    nonisolated(nonsending) func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Value>
}

extension SensorService {
    /// The readings without other events.
    public var readings: SensorReadings<Value> { SensorReadings(events) }

    /// The readings as they come, thousands at once if the request has a batch, and the gaps among them.
    public var batches: SensorBatches<Value> { SensorBatches(events) }

    /// The interval of readings.
    ///
    /// Nil: the resource's default. `.fastest`: as fast as the device can. `.everySample`, which is zero: whatever the device measures.
    ///
    /// May be set while readings come.
    public var updateInterval: Duration? {
        get { request.interval }
        set { mutateRequest { $0.interval = newValue } }
    }

    /// Requests one new reading, within ten seconds.
    public nonisolated(nonsending) func requestReading() async throws(SensorError) -> Reading<Value> {
        try await requestReading(maximumAge: .zero, timeout: .seconds(10))
    }

    /// Requests one reading of at most this age, within ten seconds.
    public nonisolated(nonsending) func requestReading(
        maximumAge: Duration
    ) async throws(SensorError) -> Reading<Value> {
        try await requestReading(maximumAge: maximumAge, timeout: .seconds(10))
    }

    /// Requests one new reading, within the timeout.
    public nonisolated(nonsending) func requestReading(
        timeout: Duration
    ) async throws(SensorError) -> Reading<Value> {
        try await requestReading(maximumAge: .zero, timeout: timeout)
    }
}

/// A source of locations, real or not.
public protocol LocationService: SensorService where Value == Location {
    /// The largest acceptable error in metres, applied in this process; nil: no filter.
    ///
    /// Readings with an unknown error are left out.
    ///
    /// This does not make the receiver more accurate. `requestLocation(maximumAge:timeout:)` waits for a reading that
    /// is accurate enough, and at its deadline returns the best one that came.
    var desiredAccuracy: Double? { get set }
}

extension SensorService where Value == Location {
    /// The smallest distance between readings in metres, applied by the broker; nil: no filter.
    public var distanceFilter: Double? {
        get { request.minimumChange }
        set { mutateRequest { $0.minimumChange = newValue } }
    }

    /// Requests one location of at most this age: ``requestReading(maximumAge:timeout:)`` by the name that CoreLocation has for it.
    public nonisolated(nonsending) func requestLocation(
        maximumAge: Duration = .zero, timeout: Duration = .seconds(10)
    ) async throws(SensorError) -> Reading<Location> {
        try await requestReading(maximumAge: maximumAge, timeout: timeout)
    }
}

/// An accelerometer, real or not.
public protocol AccelerometerService: SensorService where Value == Acceleration {}
