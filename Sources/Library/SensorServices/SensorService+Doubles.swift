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
        try await events.firstReading(since: nil, within: timeout, of: nil)
    }
}

extension SensorEvents {
    /// The first reading among them that was measured since an instant.
    ///
    /// With a resource, the error has the reason why that has none. It comes at once if the resource is unavailable
    /// from the start; one that is starting may be unavailable for a while, as a compass that does not know north yet.
    package nonisolated(nonsending) func firstReading(
        since: BootTime?, within timeout: Duration, of resource: ResourceName?
    ) async throws(SensorError) -> Reading<Value> {
        let answer = await withTaskGroup(of: Result<Reading<Value>, SensorError>?.self) { group in
            group.addTask { await awaitReading(since: since, of: resource) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            if let first = await group.next(), let answer = first { return answer }
            group.cancelAll()
            return await group.next().flatMap { $0 } ?? .failure(.timedOut)
        }
        if Task.isCancelled { throw .cancelled }
        return try answer.get()
    }

    private func awaitReading(since: BootTime?, of resource: ResourceName?) async -> Result<Reading<Value>, SensorError>
    {
        var error = SensorError.timedOut
        var wasAvailable = false
        do throws(SensorError) {
            for try await event in self {
                if let reading = event.reading, since.map({ $0 <= reading.timestamp }) ?? true {
                    return .success(reading)
                }
                if resource != nil, case .disconnected(let reason) = event { error = reason }
                guard let resource, case .state(let state) = event else { continue }
                switch state {
                case .unavailable, .released:
                    error = .resourceUnavailable(resource, reason: state.reason ?? state.name)
                    if !wasAvailable { return .failure(error) }
                default: (error, wasAvailable) = (.timedOut, true)
                }
            }
        } catch { return .failure(error) }
        return .failure(error)
    }
}
