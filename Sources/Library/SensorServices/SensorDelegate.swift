/// Receives a sensor's events, one at a time and in order.
///
/// An actor, or a class of the main actor, is called on its own executor; any other class on the executor given with
/// it. Once it is removed there, it is not called any more. While it is busy, a bounded number of events wait; older ones are dropped.
public protocol SensorDelegate<Value>: AnyObject, Sendable {
    /// What the sensor measures.
    associatedtype Value: Sendable

    /// A reading arrived.
    func didUpdate(_ reading: Reading<Value>) async
    /// Readings are missing here.
    func didMiss(_ gap: Gap) async
    /// The resource changed its state.
    func didChange(_ state: ResourceState) async
    /// The interval changed.
    func didReceive(_ grant: Grant) async
    /// The broker is away. Readings continue when it is back.
    func didDisconnect(_ error: SensorError) async
    /// A change of the request is invalid, for this reason; the former request still applies.
    func didRefuse(_ error: SensorError) async
    /// The stream ended with this error.
    func didFail(_ error: SensorError) async
}

extension SensorDelegate {
    /// Does nothing.
    public func didMiss(_ gap: Gap) async {}
    /// Does nothing.
    public func didChange(_ state: ResourceState) async {}
    /// Does nothing.
    public func didReceive(_ grant: Grant) async {}
    /// Does nothing.
    public func didDisconnect(_ error: SensorError) async {}
    /// Does nothing.
    public func didRefuse(_ error: SensorError) async {}
    /// Does nothing.
    public func didFail(_ error: SensorError) async {}

    /// Calls the method for an event, without leaving an actor that it is called on.
    func receive(_ event: SensorEvent<Value>, isolation: isolated (any Actor)?) async {
        switch event {
        case .reading(let reading): await didUpdate(reading)
        case .gap(let gap): await didMiss(gap)
        case .state(let state): await didChange(state)
        case .grant(let grant): await didReceive(grant)
        case .disconnected(let error): await didDisconnect(error)
        case .refused(let error): await didRefuse(error)
        }
    }
}

/// Runs a delegate wherever a closure puts its work: on a dispatch queue, a run loop, or a thread of your own.
///
///     let queue = DispatchQueue(label: "readings")
///     accelerometer.setDelegate(logger, on: QueueExecutor { queue.async(execute: $0) })
public final class QueueExecutor: TaskExecutor {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor from a closure that runs the given work later, exactly once.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// Passes a job to the closure.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Safe if the closure keeps its promise to run a job once.
        enqueue { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
