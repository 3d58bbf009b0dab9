internal import Locking
public import SensorServices

extension ScriptedSensor {
    /// Waits until so many requests for a reading are pending, so that a test can then let time pass.
    ///
    /// The call also returns when its own task is cancelled, by a time limit of the test, say.
    public func untilRequested(_ count: Int = 1) async { await requested.reach(count) }

    /// Answers from the script, or times out in virtual time; while the device is lost, nobody waits for it.
    public func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Value> {
        let id = script.withLock { state in
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
        let since = time.now + -maximumAge.clampedNanoseconds
        let known = script.withLock { state -> Result<Reading<Value>, SensorError>? in
            if let failure = state.failure ?? state.accuracy.fault { return .failure(failure) }
            if maximumAge > .zero, let latest = state.latest, latest.timestamp >= since,
                state.accuracy.accepts(latest.value)
            {
                return .success(latest)
            }
            if let absence = state.absence(of: resource) { return .failure(absence) }
            state.requests[id] = ScriptedRequest(answer: answer)
            return nil
        }
        if let known { return answer(known) }
        time.schedule(at: time.now.advanced(by: timeout)) { [weak self] in self?.end(id, .timedOut) }
        requested.change(by: 1)
    }

    /// Ends a request; at its deadline, the best reading that came is an answer.
    private func end(_ id: Int, _ error: SensorError) {
        guard let request = script.withLock({ $0.requests.removeValue(forKey: id) }) else { return }
        requested.change(by: -1)
        request.answer(error == .timedOut ? request.best.map { .success($0) } ?? .failure(error) : .failure(error))
    }
}

extension ScriptedSensor: AccelerometerService where Value == Acceleration {
    /// Creates a scripted accelerometer.
    public convenience init(accelerometer time: VirtualTime, _ script: ScriptedStep<Acceleration>...) {
        self.init(.accelerometer, time: time, script: script)
    }
}

extension ScriptedSensor where Value == DeviceMotion {
    /// Creates a scripted sensor of motion in a frame.
    public convenience init(
        motion time: VirtualTime, in frame: DeviceMotion.ReferenceFrame = .arbitrary,
        _ script: ScriptedStep<DeviceMotion>...
    ) {
        self.init(frame.lead, time: time, script: script)
    }
}

extension ScriptedSensor: LocationService where Value == Location {
    /// The largest acceptable error in metres; readings with a larger or an unknown one are left out.
    public var desiredAccuracy: Double? {
        get { script.withLock { $0.accuracy.meters } }
        set { script.withLock { $0.setAccuracy(newValue) } }
    }

    /// Creates a scripted source of locations.
    public convenience init(location time: VirtualTime, _ script: ScriptedStep<Location>...) {
        self.init(.location, time: time, script: script)
    }
}
