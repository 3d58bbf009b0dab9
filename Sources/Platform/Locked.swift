public import Synchronization

/// A value that one thread at a time may use: a `Mutex` whose hand-over the thread sanitizer can see.
///
/// `Mutex` is in a library of the toolchain that is not instrumented, so the sanitizer takes every value behind one for a
/// race, and real races drown. The flag is written at the end of each use and read at the beginning of the next one: two
/// plain moves that say who came after whom, which is all that the sanitizer wants to know. They exclude nobody; the
/// mutex does.
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<Bool>(false)

    /// Takes over a value.
    public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Waits until nobody else uses the value, and uses it.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
