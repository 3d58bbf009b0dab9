public import SensorBroker

/// One line of a scripted sensor's script.
public enum ScriptedStep<Value: Measurable>: Sendable {
    /// So much time passes.
    case wait(Duration)
    /// The sensor measures this, now.
    case reading(Value)
    /// The sensor measures these, one an interval, the first after the first interval.
    case readings([Value], every: Duration)
    /// So many readings are missing, of the time since the newest one.
    case gap(Gap.Cause, count: Int?)
    /// The resource is in this state.
    case state(ResourceState)
    /// The device is lost, for this reason: a gap, and the state.
    case lose(reason: String)
    /// The device is back.
    case recover
    /// The broker goes away, for this reason; it comes back with the next reading.
    case disconnect(SensorError)
    /// Iterations and requests end in this error.
    case fail(SensorError)
}
