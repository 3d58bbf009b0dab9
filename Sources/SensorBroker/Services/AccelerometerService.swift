/// An accelerometer, real or not: what code that uses one should ask for in its `init`.
public protocol AccelerometerService: SensorService where Value == Acceleration {
    /// One reading, not older than so much; always an answer, by then.
    func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration>
}

extension AccelerometerService {
    /// One new reading; an answer within ten seconds.
    public func requestAcceleration() async throws(SensorError) -> Reading<Acceleration> {
        try await requestAcceleration(maximumAge: .zero, timeout: .seconds(10))
    }
}
