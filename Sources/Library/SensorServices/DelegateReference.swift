/// A delegate as a sensor has it: not retained, with the actor on which it is called, and the identity of the sensor.
///
/// A double of a sensor passes it on to its ``Delegation``.
public struct DelegateReference<Value: Sendable>: Sendable {
    let target: any DelegateTarget<Value>
    let executor: (any TaskExecutor)?
    /// The actor on which it is called, if there is one.
    let isolation: WeakActor

    init<Delivered: Sendable>(
        _ delegate: any SensorDelegate<Delivered> & Sendable, of sensor: SensorID, on executor: (any TaskExecutor)?,
        from isolation: (any Actor)?, converting: @escaping @Sendable (Reading<Value>) -> Reading<Delivered>
    ) {
        target = WeakDelegate(delegate, sensor, converting)
        self.executor = executor
        self.isolation = WeakActor(delegate as? any Actor ?? (executor == nil ? isolation : nil))
    }
}

/// What a sensor's events are delivered to.
protocol DelegateTarget<Value>: Sendable {
    associatedtype Value: Sendable

    /// Whether the delegate is gone.
    var isGone: Bool { get }

    /// Passes an event on, without leaving an actor that it is called on; false if nobody wants it.
    func receive(_ event: SensorEvent<Value>, isolation: isolated (any Actor)?) async -> Bool

    /// Passes on why the events have ended.
    func fail(_ error: SensorError) async
}

/// An actor, which nothing here keeps alive.
final class WeakActor: Sendable {
    weak let actor: (any Actor)?

    init(_ actor: (any Actor)?) { self.actor = actor }
}

/// A delegate, which nothing here keeps alive.
private final class WeakDelegate<Value: Sendable, Delivered: Sendable>: DelegateTarget {
    private weak let delegate: (any SensorDelegate<Delivered> & Sendable)?
    private let sensor: SensorID
    private let convert: @Sendable (Reading<Value>) -> Reading<Delivered>

    init(
        _ delegate: any SensorDelegate<Delivered> & Sendable, _ sensor: SensorID,
        _ convert: @escaping @Sendable (Reading<Value>) -> Reading<Delivered>
    ) {
        self.delegate = delegate
        self.sensor = sensor
        self.convert = convert
    }

    var isGone: Bool { delegate == nil }

    func receive(_ event: SensorEvent<Value>, isolation: isolated (any Actor)?) async -> Bool {
        guard !Task.isCancelled, let delegate else { return false }
        switch event {
        case .reading(let reading): await delegate.didUpdate(convert(reading), of: sensor)
        case .gap(let gap): await delegate.didMiss(gap, of: sensor)
        case .state(let state): await delegate.didChange(state, of: sensor)
        case .grant(let grant): await delegate.didReceive(grant, of: sensor)
        case .disconnected(let error): await delegate.didDisconnect(error, of: sensor)
        case .refused(let error): await delegate.didRefuse(error, of: sensor)
        }
        return true
    }

    func fail(_ error: SensorError) async { await delegate?.didFail(error, of: sensor) }
}
