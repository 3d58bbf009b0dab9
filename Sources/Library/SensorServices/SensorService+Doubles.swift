/// What a double may leave out.
///
/// A double has its ``request``, by which a test sees what was asked for, with `mutateRequest` and `maximumAge`; ``events``, which a test
/// decides; and `setDelegate`.
extension SensorService {
    /// Nil: no reading is known.
    public var latest: Reading<Value>? { nil }

    /// Nil: the state is not known.
    public var state: ResourceState? { nil }

    /// Nil: nothing keeps ``latest`` from being up to date.
    public var error: SensorError? { nil }

    /// Does nothing.
    public func startUpdates() {}

    /// Does nothing.
    public func stopUpdates() {}

    /// The next reading of ``events``; ``SensorError/timedOut`` if they end without one, or if none comes in time.
    public nonisolated(nonsending) func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Value> {
        let readings = readings
        let answer = await withTaskGroup(of: Result<Reading<Value>, SensorError>.self) { group in
            group.addTask {
                do throws(SensorError) {
                    for try await reading in readings { return .success(reading) }
                    return .failure(.timedOut)
                } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut)
        }
        if Task.isCancelled { throw .cancelled }
        return try answer.get()
    }
}
