internal import Synchronization

/// Time that leaves out its pauses: for simulated devices, whose hours need not last an hour.
///
/// The clocks of this process run as the host's do while anything works, and are set forward when nothing does: when every
/// thread that takes part waits, no client has anything left to read, and the next instant that somebody waits for is still to
/// come. So a busy or slow host only makes it slower, and no time limit is missed by that: which is why the clocks are not
/// simply run faster. It is the process's, as its clocks are; off until `begin`.
public enum VirtualTime {
    struct Waiter {
        let bell: Int32
        let command: Int32
        let deadline: Int64
        let isDriving: Bool
    }

    struct State {
        /// Threads that take part, waiting or not.
        var participants = 0
        /// Those of them that wait.
        var waiters: [Waiter] = []
        /// Where the tempo is counted from, on the host's clock and on this one.
        var base: (host: Int64, own: Int64)?
    }

    static let state = Locked(State())
    private static let skipped = Atomic<Int64>(0)
    // The bits of a Double; 0: off.
    private static let tempo = Atomic<UInt64>(0)

    /// Begins to leave out pauses, once and before there are other threads; so many times as fast as the host's time at most,
    /// which may be infinite.
    public static func begin(tempo: Double) {
        self.tempo.store(max(1, tempo).bitPattern, ordering: .relaxed)
    }

    /// Whether pauses are left out.
    public static var isOn: Bool { tempo.load(ordering: .relaxed) != 0 }

    /// A thread that uses `wait` begins its work, or has ended it.
    public static func takePart(_ begins: Bool) {
        guard isOn else { return }
        state.withLock { $0.participants += begins ? 1 : -1 }
    }

    /// What the host's clocks are behind the process's.
    static var skippedNanoseconds: Int64 { skipped.load(ordering: .relaxed) }

    /// Waits until a descriptor is readable or so many nanoseconds of the process's time have passed; nil waits for ever.
    ///
    /// Time is set forward only for those who drive it: who does not is woken on time, but waits as long as nobody else does.
    public static func wait(
        _ first: Int32, _ second: Int32?, nanoseconds: Int64?, isDriving: Bool = true
    ) -> Wait.Ready {
        // Nobody can see when a second descriptor will be readable; and without a descriptor more, time passes as the host's.
        guard isOn, second == nil, let bell = try? WakeEvent() else {
            return Wait.untilReadable(first, second, nanoseconds: nanoseconds)
        }
        let (sum, overflow) = Clock.bootNanoseconds().addingReportingOverflow(nanoseconds ?? .max)
        let waiter = Waiter(
            bell: bell.descriptor, command: first, deadline: overflow ? .max : sum, isDriving: isDriving)
        state.withLock { $0.waiters.append(waiter) }
        let ready = Wait.untilReadable(first, bell.descriptor, nanoseconds: nanoseconds)
        state.withLock { $0.waiters.removeAll { $0.bell == waiter.bell } }
        return Wait.Ready(first: ready.first, second: false)
    }

    /// What the loop may do that has nothing to do until a deadline.
    enum Pause: Equatable {
        /// Somebody is at work, and may have something for the loop without ringing.
        case working
        /// Nobody drives time: it passes as the host's.
        case resting
        /// All wait for an instant, which is so far away on the host's clock at most.
        case until(Int64, hostNanoseconds: Int64)
    }

    /// What all wait for, the loop until a deadline of its own.
    static func pause(loopDeadline: Int64) -> Pause {
        let hostNow = Clock.hostBootNanoseconds()
        let now = hostNow + skippedNanoseconds
        let tempo = Double(bitPattern: tempo.load(ordering: .relaxed))
        return state.withLock { state in
            // Their own timers know nothing of what was skipped.
            let due = state.waiters.filter { $0.deadline <= now }
            for waiter in due { WakeEvent.ring(waiter.bell) }
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
                // Who fell behind by a second does not hurry to make up for it.
                (base, allowed) = ((hostNow, now), now)
            }
            state.base = base
            return .until(next, hostNanoseconds: nanoseconds(Double(next - min(allowed, next)) / tempo))
        }
    }

    /// Sets the clocks forward to an instant, and wakes who waited for it.
    static func skip(to instant: Int64) {
        let ahead = instant - Clock.bootNanoseconds()
        if ahead > 0 { skipped.add(ahead, ordering: .relaxed) }
        state.withLock { state in
            for waiter in state.waiters where waiter.deadline <= instant { WakeEvent.ring(waiter.bell) }
        }
    }

    private static func nanoseconds(_ value: Double) -> Int64 { Int64(exactly: value.rounded(.down)) ?? .max / 4 }
}
