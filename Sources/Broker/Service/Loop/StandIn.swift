internal import Delivery
internal import Platform
internal import Readings
internal import Synchronization

/// The right to use what the loop owns.
///
/// Everything that the loop owns is confined to whoever holds the baton. The loop holds it while it is awake. While it
/// sleeps, a device's thread that has samples takes the baton and does the turn itself: to wake the loop would cost
/// more than most turns do, and the samples would reach the clients later. Nobody but the loop waits for the baton, so a device's
/// thread is never held up: if it does not get it, it wakes the loop instead.
final class Baton: Sendable {
    /// Whether there is a loop that runs, and lends it.
    private let isLent = Locked(false)
    /// Whether somebody has it: where its holder asks for it, the mutex of Swift 6.2 traps.
    private let isHeld = Atomic<Bool>(false)

    /// Runs with the baton, on the loop's thread, which from now on lends it whenever it sleeps, or never.
    func begin<Result>(lending: Bool, _ act: () -> sending Result) -> sending Result {
        isLent.withLock { isLent in
            isLent = lending
            return holding(act)
        }
    }

    /// Runs with the baton, on the loop's thread.
    func hold<Result>(_ act: () -> sending Result) -> sending Result { isLent.withLock { _ in holding(act) } }

    /// The loop keeps it from now on.
    func end() { isLent.withLock { $0 = false } }

    /// Runs with the baton, on another thread, if the loop runs and sleeps; else returns nil, and nothing has happened.
    func borrow<Result>(_ act: () -> sending Result) -> sending Result? {
        guard !isHeld.load(ordering: .relaxed) else { return nil }
        let result: Result?? = isLent.withLockIfAvailable { isLent in isLent ? holding(act) : nil }
        return result ?? nil
    }

    private func holding<Result>(_ act: () -> sending Result) -> sending Result {
        isHeld.store(true, ordering: .relaxed)
        defer { isHeld.store(false, ordering: .relaxed) }
        return act()
    }
}

/// What a device's thread does in place of the sleeping loop.
///
/// The thread gives at most a quarter of its time for that, so that a device with many clients is read in time; after a long
/// turn, which may be one in which the host slept, it leaves a tenth of a second to the loop.
///
/// A thread reaches this only through `Server.standIn`, which calls `takeTurn` with the baton borrowed. So one thread at a time uses
/// it, each sees what the one before wrote, and the loop is there, since it lends the baton only while it runs.
// Unchecked: the compiler knows no batons. That one thread at a time uses it is shown above.
final class StandIn: @unchecked Sendable {
    private unowned let server: Server
    private let act: (BootTime) -> Void
    private static let longestRestNanoseconds: Int64 = 100_000_000
    /// The thread does no turn before.
    private var restsUntil = BootTime(nanoseconds: 0)

    init(for server: Server, _ act: @escaping (BootTime) -> Void) { (self.server, self.act) = (server, act) }

    /// A turn of the loop, with the baton, in which the device's events are taken; false: the thread must leave it to the loop.
    func takeTurn() -> Bool {
        let now = server.clock()
        guard !server.isStopping, now >= restsUntil else { return false }
        let end = server.turn(now) { act(now) }
        restsUntil = end + min(3 * (end - now), Self.longestRestNanoseconds)
        return true
    }
}
