/// A sensor, as code that uses one wants to see it: what it says, and how often.
public protocol SensorService<Value>: Sendable {
    /// What it measures.
    associatedtype Value: Sendable

    /// The interval of the readings; nil: the resource's default, zero: every sample.
    ///
    /// May be set while readings come.
    var updateInterval: Duration? { get nonmutating set }
    /// The newest reading of anybody's, while it may be believed.
    var latest: Reading<Value>? { get }
    /// What it says, from the beginning of an iteration on.
    var events: SensorEvents<Value> { get }
}

extension SensorService {
    /// The readings alone.
    public var readings: SensorReadings<Value> { SensorReadings(events) }
}
