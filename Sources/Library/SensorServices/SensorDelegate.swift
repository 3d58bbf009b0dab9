/// Receives events of sensors, one at a time and in order for each of them.
///
///     final class Display: SensorDelegate {
///         func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) { show(reading.value) }
///     }
///
/// An actor, or a class of the main actor, is called on its own executor; any other class, which has to be `Sendable`, on the executor
/// given with it. Once it is removed there, it is not called any more. While it is busy, a bounded number of events wait; older ones are
/// dropped.
///
/// Each call names the sensor that it is about, so one delegate will do for several: those of one value or, with
/// readings of `any Measurable`, those of all kinds.
public protocol SensorDelegate<Value>: AnyObject {
    /// What the sensors measure.
    associatedtype Value: Sendable

    /// A reading arrived.
    func didUpdate(_ reading: Reading<Value>, of sensor: SensorID) async
    /// Readings are missing here.
    func didMiss(_ gap: Gap, of sensor: SensorID) async
    /// The resource changed its state.
    func didChange(_ state: ResourceState, of sensor: SensorID) async
    /// The interval changed.
    func didReceive(_ grant: Grant, of sensor: SensorID) async
    /// The broker is away. Readings continue when it is back.
    func didDisconnect(_ error: SensorError, of sensor: SensorID) async
    /// A change of the request is invalid, for this reason; the former request still applies.
    func didRefuse(_ error: SensorError, of sensor: SensorID) async
    /// The stream ended with this error.
    func didFail(_ error: SensorError, of sensor: SensorID) async
}

extension SensorDelegate {
    /// Does nothing.
    public func didMiss(_ gap: Gap, of sensor: SensorID) async {}
    /// Does nothing.
    public func didChange(_ state: ResourceState, of sensor: SensorID) async {}
    /// Does nothing.
    public func didReceive(_ grant: Grant, of sensor: SensorID) async {}
    /// Does nothing.
    public func didDisconnect(_ error: SensorError, of sensor: SensorID) async {}
    /// Does nothing.
    public func didRefuse(_ error: SensorError, of sensor: SensorID) async {}
    /// Does nothing.
    public func didFail(_ error: SensorError, of sensor: SensorID) async {}
}

/// Which sensor a delegate is called for: `if sensor == accelerometer.id`.
public struct SensorID: Hashable, Sendable {
    private let object: ObjectIdentifier

    /// Creates the identity of a sensor; it is that of no other one as long as the sensor lives.
    public init(_ sensor: some SensorService) { object = ObjectIdentifier(sensor) }
}

extension SensorService {
    /// Which sensor it is, as its delegate gets it.
    public var id: SensorID { SensorID(self) }

    /// Sets the delegate, which is not retained; nil removes it.
    ///
    /// An actor is called on its own executor, a class of the main actor there. Any other class is called on the given
    /// executor, else on the shared one of all tasks. A delegate that is removed where it is called is not called any more;
    /// for a class of the main actor, that is so if it was also set there. When the delegate is gone, its subscription ends
    /// within a second.
    public func setDelegate(
        _ delegate: (any SensorDelegate<Value> & Sendable)?, on executor: (any TaskExecutor)? = nil,
        from isolation: (any Actor)? = #isolation
    ) {
        setDelegate(reference: delegate.map { DelegateReference($0, of: id, on: executor, from: isolation) { $0 } })
    }
}

extension SensorService where Value: Measurable {
    /// Sets a delegate that takes readings of all kinds, which is not retained.
    public func setDelegate(
        _ delegate: any SensorDelegate<any Measurable> & Sendable, on executor: (any TaskExecutor)? = nil,
        from isolation: (any Actor)? = #isolation
    ) {
        setDelegate(
            reference: DelegateReference(delegate, of: id, on: executor, from: isolation) { reading in
                Reading(reading.value, of: reading.resource, at: reading.timestamp, sequence: reading.sequence)
            })
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
