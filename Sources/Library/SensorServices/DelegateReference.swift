/// A delegate as a sensor has it: not retained, with the place where it is called, and the identity of the sensor.
///
/// A double of a sensor passes it on to its ``Delegation``.
public struct DelegateReference<Value: Sendable>: Sendable {
    let target: any DelegateTarget<Value>
    let executor: (any TaskExecutor)?
    /// Where it is called, if that is on an actor.
    let place: WeakActor

    init<Told: Sendable>(
        _ delegate: any SensorDelegate<Told> & Sendable, of sensor: SensorID, on executor: (any TaskExecutor)?,
        from isolation: (any Actor)?, telling: @escaping @Sendable (Reading<Value>) -> Reading<Told>
    ) {
        target = WeakDelegate(delegate, sensor, telling)
        self.executor = executor
        place = WeakActor(delegate as? any Actor ?? (executor == nil ? isolation : nil))
    }
}

/// What is told of a sensor's events.
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
private final class WeakDelegate<Value: Sendable, Told: Sendable>: DelegateTarget {
    private weak let delegate: (any SensorDelegate<Told> & Sendable)?
    private let sensor: SensorID
    private let told: @Sendable (Reading<Value>) -> Reading<Told>

    init(
        _ delegate: any SensorDelegate<Told> & Sendable, _ sensor: SensorID,
        _ told: @escaping @Sendable (Reading<Value>) -> Reading<Told>
    ) {
        self.delegate = delegate
        self.sensor = sensor
        self.told = told
    }

    var isGone: Bool { delegate == nil }

    func receive(_ event: SensorEvent<Value>, isolation: isolated (any Actor)?) async -> Bool {
        guard !Task.isCancelled, let delegate else { return false }
        switch event {
        case .reading(let reading): await delegate.didUpdate(told(reading), of: sensor)
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
