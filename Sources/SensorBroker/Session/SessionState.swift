/// What a session's callers and its thread share under one lock.
struct SessionState {
    /// Who waits for one answer.
    typealias Waiter<Value> = @Sendable (Result<Value, SensorError>) -> Void

    var hub: Hub
    var sinks: [Int: any Sink] = [:]
    var readers: [Int: Waiter<Measured>] = [:]
    var listers: [Int: Waiter<[Resource]>] = [:]
    var followers: [Int: Mailbox<LifecycleBuffer>] = [:]
    /// Whether the thread was started.
    var isRunning = false
    /// Nobody needs it any more.
    var isEnding = false
}
