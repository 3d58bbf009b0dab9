/// A source of locations, real or not: what code that uses one should ask for in its `init`.
public protocol LocationService: SensorService where Value == Location {
    /// Readings whose error is larger, or not known, are left out; metres, nil: none are.
    var desiredAccuracy: Double? { get nonmutating set }
    /// Readings that are less far from the one before are left out; metres, nil: none are.
    var distanceFilter: Double? { get nonmutating set }

    /// One location, not older than so much; always an answer, by then.
    func requestLocation(maximumAge: Duration, timeout: Duration) async throws(SensorError) -> Reading<Location>
}

extension LocationService {
    /// One new location; an answer within ten seconds.
    public func requestLocation() async throws(SensorError) -> Reading<Location> {
        try await requestLocation(maximumAge: .zero, timeout: .seconds(10))
    }
}
