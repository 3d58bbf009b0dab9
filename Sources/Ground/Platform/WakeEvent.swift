internal import CLinux
internal import Glibc

/// Wakes a thread that waits in poll or epoll.
public struct WakeEvent: ~Copyable, Sendable {
    private let event: Descriptor

    /// Creates an event that is not set. `eventfd(2)`
    public init() throws(SystemError) {
        let number = clinux_eventfd()
        guard number >= 0 else { throw .current("eventfd") }
        event = Descriptor(owning: number)
    }

    /// Readable from `signal` until `clear`; valid only while this value lives.
    public var descriptor: Int32 { event.number }

    /// Makes the descriptor readable; setting it twice has no further effect. `write(2)`
    public func signal() { Self.signal(event.number) }

    /// The same by descriptor, for a caller that knows it stays open. `write(2)`
    static func signal(_ descriptor: Int32) {
        var one: UInt64 = 1
        // Fails only if the counter is full, and then the event is set already.
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable again. `read(2)`
    public func clear() {
        var count: UInt64 = 0
        _ = unsafe read(event.number, &count, MemoryLayout<UInt64>.size)
    }
}

/// A wake event that several have, such as two threads.
public final class SharedWakeEvent: Sendable {
    private let event: WakeEvent

    /// One that is not set. `eventfd(2)`
    public init() throws(SystemError) { event = try WakeEvent() }

    /// Readable from `signal` until `clear`; valid only while this object lives.
    public var descriptor: Int32 { event.descriptor }

    /// Makes the descriptor readable.
    public func signal() { event.signal() }

    /// Makes the descriptor unreadable again.
    public func clear() { event.clear() }
}

/// Waiting for descriptors outside the event loop, on a thread that may block.
public enum Wait {
    /// Which descriptor ended the wait; neither after a timeout or a signal.
    public struct Ready: Equatable, Sendable {
        /// The first has something to read, or failed.
        public var first: Bool
        /// The second has something to read, or failed.
        public var second: Bool
    }

    /// Waits until a descriptor is readable or has failed, at most this long; nil waits for ever. `ppoll(2)`
    ///
    /// The timeout does not advance while the host sleeps.
    public static func untilReadable(_ first: Int32, _ second: Int32? = nil, nanoseconds: Int64?) -> Ready {
        let result = clinux_poll_two(first, second ?? -1, nanoseconds.map { max(0, $0) } ?? -1)
        guard result > 0 else { return Ready(first: false, second: false) }
        return Ready(first: result & 1 != 0, second: result & 2 != 0)
    }

    /// Whether a descriptor has failed or its peer has gone. `poll(2)`
    static func hasFailed(_ number: Int32) -> Bool { clinux_has_failed(number) != 0 }
}
