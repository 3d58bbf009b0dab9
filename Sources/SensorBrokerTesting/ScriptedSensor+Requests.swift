public import SensorBroker
internal import Platform

extension ScriptedSensor {
    /// Waits until so many requests for a reading are pending, so that a test can then let time pass.
    public func untilRequested(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, { continuation.resume() }))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func request(maximumAge: Duration, timeout: Duration) async throws(SensorError) -> Reading<Value> {
        let id = state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(id, maximumAge, timeout) { continuation.resume(returning: $0) }
                if Task.isCancelled { end(id, .cancelled) }
            }
        } onCancel: {
            end(id, .cancelled)
        }
        return try result.get()
    }

    private func begin(
        _ id: Int, _ maximumAge: Duration, _ timeout: Duration, _ answer: @escaping ScriptedState<Value>.Answer
    ) {
        let since = time.now + -maximumAge.nanoseconds
        let (known, watchers) = state.withLock { state -> (Result<Reading<Value>, SensorError>?, [() -> Void]) in
            if let failure = state.failure { return (.failure(failure), []) }
            if maximumAge > .zero, let latest = state.latest, latest.timestamp >= since {
                return (.success(latest), [])
            }
            state.requests[id] = answer
            let due = state.watchers.filter { state.requests.count >= $0.count }
            state.watchers.removeAll { state.requests.count >= $0.count }
            return (nil, due.map(\.resume))
        }
        if let known { return answer(known) }
        time.schedule(at: time.now + timeout.nanoseconds) { [weak self] in self?.end(id, .timedOut) }
        for resume in watchers { resume() }
    }

    private func end(_ id: Int, _ error: SensorError) {
        state.withLock { $0.requests.removeValue(forKey: id) }?(.failure(error))
    }
}

extension ScriptedSensor: AccelerometerService where Value == Acceleration {
    /// Answers from the script, or times out in virtual time.
    public func requestAcceleration(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Acceleration> {
        try await request(maximumAge: maximumAge, timeout: timeout)
    }

    /// Creates a scripted accelerometer.
    public convenience init(accelerometer time: VirtualTime, _ script: ScriptedStep<Acceleration>...) {
        self.init(.accelerometer, time: time, script: script)
    }
}

extension ScriptedSensor: LocationService where Value == Location {
    /// The value that was set last.
    public var desiredAccuracy: Double? {
        get { state.withLock { $0.desiredAccuracy } }
        set { state.withLock { $0.desiredAccuracy = newValue } }
    }

    /// The value that was set last.
    public var distanceFilter: Double? {
        get { state.withLock { $0.distanceFilter } }
        set { state.withLock { $0.distanceFilter = newValue } }
    }

    /// Answers from the script, or times out in virtual time.
    public func requestLocation(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Location> {
        try await request(maximumAge: maximumAge, timeout: timeout)
    }

    /// Creates a scripted source of locations.
    public convenience init(location time: VirtualTime, _ script: ScriptedStep<Location>...) {
        self.init(.location, time: time, script: script)
    }
}
