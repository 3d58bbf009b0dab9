internal import Synchronization

/// Time that skips idle periods, so that simulated hours need not last an hour.
///
/// The clocks of this process run at the host's speed while anything works. When every participating thread waits and
/// no client has anything left to read, they are set forward to the next instant that somebody waits for. A busy or
/// slow host thus only slows the simulation down and causes no timeouts, which a faster clock would. It applies to the
/// whole process, and is off until `begin`.
public enum VirtualTime {
    struct Waiter {
        let event: Int32
        let command: Int32
        let deadline: Int64
        let isDriving: Bool
    }

    struct State {
        /// Participating threads, waiting or not.
        var participants = 0
        /// The participating threads that wait.
        var waiters: [Waiter] = []
        /// The start of the tempo, on the host's clock and on this one.
        var base: (host: Int64, own: Int64)?
    }

    static let state = Locked(State())
    private static let skipped = Atomic<Int64>(0)
    // The bits of a Double; 0: off.
    private static let tempo = Atomic<UInt64>(0)

    /// Turns it on, once and before there are other threads, with a largest factor over the host's time, which may be
    /// infinite.
    public static func begin(tempo: Double) {
        self.tempo.store(max(1, tempo).bitPattern, ordering: .relaxed)
    }

    /// Whether virtual time is on.
    public static var isOn: Bool { tempo.load(ordering: .relaxed) != 0 }

    /// Registers or removes a thread that uses `wait`.
    public static func takePart(_ begins: Bool) {
        guard isOn else { return }
        state.withLock { $0.participants += begins ? 1 : -1 }
    }

    /// How far the process's clocks are ahead of the host's.
    static var skippedNanoseconds: Int64 { skipped.load(ordering: .relaxed) }

    /// Waits until a descriptor is readable or the process's clock has advanced this far; nil waits for ever.
    ///
    /// Time is set forward only for threads that drive it. Others are woken on time, but wait as long as nobody drives
    /// it.
    public static func wait(
        _ first: Int32, _ second: Int32?, nanoseconds: Int64?, isDriving: Bool = true
    ) -> Wait.Ready {
        // With a second descriptor it is unknown when it becomes readable, and without a descriptor for the wake
        // event there is no way to wake: then time runs at the host's speed.
        guard isOn, second == nil, let event = try? WakeEvent() else {
            return Wait.untilReadable(first, second, nanoseconds: nanoseconds)
        }
        let (sum, overflow) = Clock.bootNanoseconds().addingReportingOverflow(nanoseconds ?? .max)
        let waiter = Waiter(
            event: event.descriptor, command: first, deadline: overflow ? .max : sum, isDriving: isDriving)
        state.withLock { $0.waiters.append(waiter) }
        let ready = Wait.untilReadable(first, event.descriptor, nanoseconds: nanoseconds)
        state.withLock { $0.waiters.removeAll { $0.event == waiter.event } }
        return Wait.Ready(first: ready.first, second: false)
    }

    /// What an idle loop may do before a deadline.
    enum Pause: Equatable {
        /// Another thread works, and may produce something for the loop.
        case working
        /// No thread drives time, so it runs at the host's speed.
        case resting
        /// All threads wait for an instant, which is at most this far away on the host's clock.
        case until(Int64, hostNanoseconds: Int64)
    }

    /// The next instant that all wait for, with the loop's own deadline.
    static func pause(loopDeadline: Int64) -> Pause {
        let hostNow = Clock.hostBootNanoseconds()
        let now = hostNow + skippedNanoseconds
        let tempo = Double(bitPattern: tempo.load(ordering: .relaxed))
        return state.withLock { state in
            // The waiters' own timers do not know of skipped time.
            let due = state.waiters.filter { $0.deadline <= now }
            for waiter in due { WakeEvent.signal(waiter.event) }
            guard due.isEmpty, state.waiters.count == state.participants,
                !state.waiters.contains(where: { Wait.untilReadable($0.command, nanoseconds: 0).first })
            else { return .working }
            guard state.waiters.contains(where: { $0.isDriving && $0.deadline < .max }) else {
                state.base = nil
                return .resting
            }
            let next = state.waiters.reduce(loopDeadline) { min($0, $1.deadline) }
            var base = state.base ?? (hostNow, now)
            var allowed = base.own + nanoseconds(Double(hostNow - base.host) * tempo)
            if allowed - now > nanoseconds(1e9 * tempo) {
                // After falling behind by a second, do not hurry to catch up.
                (base, allowed) = ((hostNow, now), now)
            }
            state.base = base
            return .until(next, hostNanoseconds: nanoseconds(Double(next - min(allowed, next)) / tempo))
        }
    }

    /// Sets the clocks forward to an instant, and wakes its waiters.
    static func skip(to instant: Int64) {
        let ahead = instant - Clock.bootNanoseconds()
        if ahead > 0 { skipped.add(ahead, ordering: .relaxed) }
        state.withLock { state in
            for waiter in state.waiters where waiter.deadline <= instant { WakeEvent.signal(waiter.event) }
        }
    }

    private static func nanoseconds(_ value: Double) -> Int64 { Int64(exactly: value.rounded(.down)) ?? .max / 4 }
}
