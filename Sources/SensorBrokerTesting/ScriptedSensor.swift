public import SensorBroker
internal import Platform

/// A sensor that plays a script on virtual time: a stand-in for an accelerometer or a location manager in tests.
///
/// Each iteration sees the script from its beginning up to the present of its clock, and then on: it does not matter
/// whether a task begins to iterate before or after the test lets time pass. What is set is there to be looked at, and
/// changes nothing in the script.
public final class ScriptedSensor<Value: Measurable>: SensorService {
    /// The clock that it plays by.
    public let time: VirtualTime

    let resource: ResourceName
    let state = Locked(ScriptedState<Value>())

    /// A sensor that plays its script from the present of a clock on.
    public init(_ resource: ResourceName, time: VirtualTime = VirtualTime(), script: [ScriptedStep<Value>]) {
        self.resource = resource
        self.time = time
        play(script)
    }

    /// The interval that was set last; ``intervals`` has all.
    public var updateInterval: Duration? {
        get { state.withLock { $0.intervals.last ?? nil } }
        set { state.withLock { $0.intervals.append(newValue) } }
    }

    /// The intervals that were set, in order.
    public var intervals: [Duration?] { state.withLock { $0.intervals } }

    /// The newest reading; nil after the device was lost.
    public var latest: Reading<Value>? { state.withLock { $0.latest } }

    /// What has been played, and what is played from now on.
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

    /// Goes on with more of a script, from the present on.
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
