internal import Platform
public import SensorBroker

/// A sensor that plays a script in virtual time, to replace an accelerometer or a location manager in tests.
///
/// Each iteration receives the script from its beginning, so it does not matter whether a task begins to iterate before
/// or after the test lets time pass. Settings are recorded for the test and do not change the script.
public final class ScriptedSensor<Value: Measurable>: SensorService {
    /// The clock of the script.
    public let time: VirtualTime

    let resource: ResourceName
    let state = Locked(ScriptedState<Value>())

    /// Creates a sensor whose script starts now on a clock.
    public init(_ resource: ResourceName, time: VirtualTime = VirtualTime(), script: [ScriptedStep<Value>]) {
        self.resource = resource
        self.time = time
        play(script)
    }

    /// The interval that was set last; ``intervals`` has all of them.
    public var updateInterval: Duration? {
        get { state.withLock { $0.intervals.last ?? nil } }
        set { state.withLock { $0.intervals.append(newValue) } }
    }

    /// The intervals that were set, in order.
    public var intervals: [Duration?] { state.withLock { $0.intervals } }

    /// The newest reading; nil after the loss of the device.
    public var latest: Reading<Value>? { state.withLock { $0.latest } }

    /// The events from the beginning of the script on.
    public var events: SensorEvents<Value> {
        SensorEvents { [self] in
            state.withLock { state in
                let mailbox = Mailbox(EventBuffer<Value>(capacity: max(SensorEvents<Value>.capacity, state.length)))
                for event in state.played { mailbox.put(event) }
                if let error = state.failure { mailbox.finish(error) }
                state.mailboxes.append(WeakMailbox(mailbox: mailbox))
                return EventSource(mailbox)
            }
        }
    }

    /// Appends steps to the script, starting now.
    public func play(_ script: [ScriptedStep<Value>]) {
        var instant = time.now
        for step in script {
            switch step {
            case .wait(let duration): instant = instant + duration.nanoseconds
            case .readings(let values, let interval):
                for value in values {
                    instant = instant + interval.nanoseconds
                    schedule(.reading(value), at: instant)
                }
            default: schedule(step, at: instant)
            }
        }
    }

    private func schedule(_ step: ScriptedStep<Value>, at instant: BootTime) {
        state.withLock { $0.length += 2 }
        time.schedule(at: instant) { [weak self] in self?.perform(step, at: instant) }
    }

    private func perform(_ step: ScriptedStep<Value>, at instant: BootTime) {
        let answers = state.withLock { $0.perform(step, of: resource, at: instant) }
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
    /// The broker goes away, for this reason; it returns with the next reading.
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
