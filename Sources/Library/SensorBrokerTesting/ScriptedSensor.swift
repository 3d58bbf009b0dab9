internal import Locking
public import SensorServices

/// A sensor that plays a script in virtual time, to replace an accelerometer or a location manager in tests.
///
/// Each iteration receives the script from its beginning, so it does not matter whether a task begins to iterate before
/// or after the test lets time pass. A desired accuracy and a distance filter leave readings out as in the real one, and an
/// invalid setting is refused as there. Intervals are recorded for the test, and do not change the script. Readings are as old
/// as they are by the script's clock.
public final class ScriptedSensor<Value: Measurable>: SensorService, Sendable {
    /// The clock of the script.
    public let time: VirtualTime

    let resource: ResourceName
    let script: Locked<ScriptedState<Value>>
    let requested = PendingCount()
    private let clock: ReadingClock
    private let delegation = Delegation<Value>()

    /// Creates a sensor whose script starts now on a clock; without a name, the first one that measures such values.
    public init(
        _ resource: ResourceName = Value.firstResource, time: VirtualTime = VirtualTime(),
        script: [ScriptedStep<Value>] = []
    ) {
        self.resource = resource
        self.time = time
        clock = ReadingClock(timeSince1970AtZero: time.origin) { time.now }
        self.script = Locked(ScriptedState(SensorRequest(resource)))
        play(script)
    }

    /// The present request.
    public var request: SensorRequest { script.withLock { $0.request } }

    /// Changes the request; running iterations are informed if it is invalid.
    public func mutateRequest(_ body: (inout SensorRequest) -> Void) {
        var request = request
        body(&request)
        script.withLock { $0.set(request) }
    }

    /// The intervals that were set, in order.
    public var intervals: [Duration?] { script.withLock { $0.intervals } }

    /// How old ``latest`` may be, in virtual time; nil: no limit.
    public var maximumAge: Duration? {
        get { script.withLock { $0.maximumAge } }
        set { script.withLock { $0.maximumAge = newValue } }
    }

    /// The newest reading; nil after the loss of the device.
    public var latest: Reading<Value>? {
        let now = time.now
        return script.withLock { state in
            guard let latest = state.latest, latest.age(at: now) <= state.maximumAge ?? latest.age(at: now) else {
                return nil
            }
            return latest
        }
    }

    /// The state that was played last; active after a reading, stale while the broker is away.
    public var state: ResourceState? { script.withLock { $0.resourceState } }

    /// Whether updates were started and not stopped.
    public var isUpdating: Bool { script.withLock { $0.isUpdating } }

    /// Notes that updates were started; `latest` follows the script in any case.
    public func startUpdates() { script.withLock { $0.isUpdating = true } }

    /// Notes that updates were stopped.
    public func stopUpdates() { script.withLock { $0.isUpdating = false } }

    /// While updates are started: the error that the script has failed with, or that of an invalid request.
    public var error: SensorError? { script.withLock { $0.isUpdating ? $0.failure ?? $0.fault : nil } }

    /// Sets the delegate, which gets the script from its beginning, too.
    public func setDelegate(reference: DelegateReference<Value>?) { delegation.set(reference, to: events) }

    /// The events from the beginning of the script on.
    public var events: SensorEvents<Value> {
        SensorEvents { [self] in
            script.withLock { state in
                let mailbox = Mailbox(EventBuffer<Value>(capacity: max(SensorEvents<Value>.capacity, state.length)))
                if let fault = state.fault {
                    mailbox.finish(fault)
                    return EventSource(mailbox)
                }
                var listener = ScriptedListener(mailbox)
                for event in state.played { listener.put(event, state) }
                if let error = state.failure { mailbox.finish(error) }
                state.listeners.append(listener)
                return EventSource(mailbox)
            }
        }
    }

    /// Appends steps to the script, starting now.
    public func play(_ script: [ScriptedStep<Value>]) {
        var instant = time.now
        for step in script {
            switch step {
            case .wait(let duration): instant = instant + duration.clampedNanoseconds
            case .readings(let values, let interval):
                for value in values {
                    instant = instant + interval.clampedNanoseconds
                    schedule(.reading(value), at: instant)
                }
            default: schedule(step, at: instant)
            }
        }
    }

    private func schedule(_ step: ScriptedStep<Value>, at instant: BootTime) {
        script.withLock { $0.length += 2 }
        time.schedule(at: instant) { [weak self] in self?.perform(step, at: instant) }
    }

    private func perform(_ step: ScriptedStep<Value>, at instant: BootTime) {
        let answers = script.withLock { $0.perform(step, of: resource, at: instant, by: clock) }
        requested.change(by: -answers.count)
        for answer in answers { answer() }
    }
}

/// A step of a script.
public enum ScriptedStep<Value: Measurable>: Sendable {
    /// Time passes.
    case wait(Duration)
    /// The sensor measures a value now.
    case reading(Value)
    /// The sensor measures these values, one an interval, the first after the first interval.
    case readings([Value], every: Duration)
    /// Readings have been missing since the newest one.
    case gap(Gap.Cause, count: Int?)
    /// The resource changes its state.
    case state(ResourceState)
    /// The device is lost: a gap and a state with this reason.
    case lose(reason: String)
    /// The device is back.
    case recover
    /// The broker goes away, for this reason, and the state is stale; it returns with the next reading, before which there is a gap.
    case disconnect(SensorError)
    /// Iterations and requests end with this error.
    case fail(SensorError)
}

extension Location {
    /// Creates a location at a position, with plausible values for the other fields that tests need.
    public init(
        latitudeDegrees: Double, longitudeDegrees: Double, horizontalErrorMeters: Double? = 3,
        speedMetersPerSecond: Double? = nil
    ) {
        self.init(fix: .threeDimensional)
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
        self.horizontalErrorMeters = horizontalErrorMeters
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}
