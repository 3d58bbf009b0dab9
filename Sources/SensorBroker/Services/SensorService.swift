/// A sensor, as its users see it: its events and its interval.
public protocol SensorService<Value>: Sendable {
    /// What it measures.
    associatedtype Value: Sendable

    /// The interval of readings. Nil: the resource's default. Zero: every sample.
    ///
    /// May be set while readings come.
    var updateInterval: Duration? { get nonmutating set }
    /// The newest valid reading, whoever asked for it.
    var latest: Reading<Value>? { get }
    /// The sensor's events, from the start of an iteration on.
    var events: SensorEvents<Value> { get }
}

extension SensorService {
    /// The readings without other events.
    public var readings: SensorReadings<Value> { SensorReadings(events) }
}

/// A source of locations, real or not.
///
/// Code that uses locations should take one in its `init`.
public protocol LocationService: SensorService where Value == Location {
    /// The largest acceptable error in metres; nil: no filter. Readings with an unknown error are left out.
    var desiredAccuracy: Double? { get nonmutating set }
    /// The smallest distance between readings in metres; nil: no filter.
    var distanceFilter: Double? { get nonmutating set }

    /// Requests one location of at most this age. It returns or throws within the timeout.
    func requestLocation(maximumAge: Duration, timeout: Duration) async throws(SensorError) -> Reading<Location>
}

extension LocationService {
    /// Requests one new location, within ten seconds.
    public func requestLocation() async throws(SensorError) -> Reading<Location> {
        try await requestLocation(maximumAge: .zero, timeout: .seconds(10))
    }
}

/// An accelerometer, real or not.
///
/// Code that uses one should take it in its `init`.
public protocol AccelerometerService: SensorService where Value == Acceleration {
    /// Requests one reading of at most this age. It returns or throws within the timeout.
    func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration>
}

extension AccelerometerService {
    /// Requests one new reading, within ten seconds.
    public func requestAcceleration() async throws(SensorError) -> Reading<Acceleration> {
        try await requestAcceleration(maximumAge: .zero, timeout: .seconds(10))
    }
}
