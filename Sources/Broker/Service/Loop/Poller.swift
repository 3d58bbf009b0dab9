internal import Delivery
internal import Platform
internal import Readings

/// The descriptors that the loop waits for, each with its owner, and the instant at which it must be awake.
///
/// All but `wait` is for whoever holds the baton, also while the loop waits. In virtual time only the loop ever does.
final class Poller {
    private let loop: EventLoop
    private let timer: WakeTimer
    /// When the timer makes the loop wake up; nil: never.
    private var wakesAt: BootTime?
    /// The timer has done that, and is readable until it is set again.
    private var hasWoken = false
    /// How long the loop waits if its time is virtual: then the wait itself drives the time.
    private var patienceNanoseconds: Int64?

    init() throws(SystemError) {
        loop = try EventLoop()
        timer = try WakeTimer()
    }

    func add(_ number: Int32, _ interest: EventLoop.Interest, for owner: Awaited) throws(SystemError) {
        try loop.add(number, interest, token: owner.bits)
    }

    func change(_ number: Int32, _ interest: EventLoop.Interest, for owner: Awaited) throws(SystemError) {
        try loop.change(number, interest, token: owner.bits)
    }

    /// Stops watching a descriptor; does nothing if it was not watched.
    func remove(_ number: Int32) { loop.remove(number) }

    // MARK: time

    /// Readable when the loop must be awake; its owner calls `didWake`.
    var timerDescriptor: Int32 { timer.descriptor }

    /// The loop must be awake at this instant, and not at the one before; nil: only if a descriptor is ready.
    func wake(at instant: BootTime?, now: BootTime) {
        patienceNanoseconds = instant.map { max(0, $0 - now) }
        guard instant != wakesAt || hasWoken, !VirtualTime.isOn else { return }
        (wakesAt, hasWoken) = (instant, false)
        timer.set(nanoseconds: patienceNanoseconds)
    }

    /// The timer is readable; `wake` must follow.
    func didWake() { hasWoken = true }

    /// Waits until something is ready, or the instant has come.
    func wait(into ready: inout ReadyList, isHeldUp: () -> Bool) throws(SystemError) {
        try loop.wait(nanoseconds: VirtualTime.isOn ? patienceNanoseconds : nil, into: &ready, isHeldUp: isHeldUp)
    }
}

/// The owner of a descriptor in the event loop, as the 64 bits of epoll's user data: a connection, or a source by its
/// index.
///
/// The upper half is a connection's generation. The highest bit of the lower half marks a source: no process can have
/// so many connections that a slot would need that bit.
enum Awaited: Equatable {
    case connection(ConnectionToken)
    case source(Int)

    private static let sourceBit: UInt32 = 1 << 31

    init(_ bits: UInt64) {
        let number = UInt32(truncatingIfNeeded: bits)
        self =
            number & Self.sourceBit != 0
            ? .source(Int(number & ~Self.sourceBit))
            : .connection(ConnectionToken(slot: number, generation: UInt32(truncatingIfNeeded: bits >> 32)))
    }

    var bits: UInt64 {
        switch self {
        case .connection(let token):
            precondition(token.slot & Self.sourceBit == 0)
            return UInt64(token.generation) << 32 | UInt64(token.slot)
        case .source(let index):
            precondition(index >= 0 && index < Int(Self.sourceBit))
            return UInt64(Self.sourceBit) | UInt64(UInt32(truncatingIfNeeded: index))
        }
    }
}
