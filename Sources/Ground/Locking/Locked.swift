public import Synchronization

/// A `Mutex` that the thread sanitizer understands.
///
/// `Mutex` is in a library of the toolchain that is not instrumented, so the sanitizer reports a race on every value
/// behind one, and real races are lost among them. The flag is written at the end of each use and read at the beginning
/// of the next: these two plain accesses show the sanitizer the order. They exclude nobody; the mutex does.
///
/// Swift 6.2 lets no closure pass on what was sent to it, so what it builds is without them, and not for the sanitizer.
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<Bool>(false)

    /// Takes over a value.
    public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Waits for the lock and uses the value.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if compiler(>=6.3)
            try mutex.withLock { value throws(Failure) in
                _ = handover.load(ordering: .acquiring)
                defer { handover.store(true, ordering: .releasing) }
                return try body(&value)
            }
        #else
            try mutex.withLock(body)
        #endif
    }

    /// Uses the value unless somebody else uses it now; nil: somebody does.
    @inlinable
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        #if compiler(>=6.3)
            try mutex.withLockIfAvailable { value throws(Failure) in
                _ = handover.load(ordering: .acquiring)
                defer { handover.store(true, ordering: .releasing) }
                return try body(&value)
            }
        #else
            try mutex.withLockIfAvailable(body)
        #endif
    }
}
