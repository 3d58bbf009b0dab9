/// Runs a delegate wherever a closure puts its work: on a dispatch queue, a run loop, a thread of one's own.
///
///     let queue = DispatchQueue(label: "readings")
///     accelerometer.setDelegate(logger, on: QueueExecutor { queue.async(execute: $0) })
public final class QueueExecutor: TaskExecutor {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// An executor whose closure runs the work that it is given, later and somewhere, once.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// Hands a piece of work to the closure.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Safe where the closure keeps its promise: a job runs once.
        enqueue { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
