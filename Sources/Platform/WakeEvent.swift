internal import CLinux
internal import Glibc

/// A bell between threads: rung by one, waited for by another in poll or epoll.
public struct WakeEvent: ~Copyable, Sendable {
    private let event: Descriptor

    /// A bell that has not been rung. `eventfd(2)`
    public init() throws(SystemError) {
        let number = clinux_eventfd()
        guard number >= 0 else { throw .current("eventfd") }
        event = Descriptor(owning: number)
    }

    /// Readable from `ring` until `clear`; valid only while this value lives.
    public var descriptor: Int32 { event.number }

    /// Makes the descriptor readable; however often it is rung, it is heard once. `write(2)`
    public func ring() { Self.ring(event.number) }

    /// The same for one whose owner is known to keep it meanwhile. `write(2)`
    static func ring(_ descriptor: Int32) {
        var one: UInt64 = 1
        // Fails only where the counter is full, and then the bell is ringing already.
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable again. `read(2)`
    public func clear() {
        var count: UInt64 = 0
        _ = unsafe read(event.number, &count, MemoryLayout<UInt64>.size)
    }
}
