internal import Platform

/// When a feed's command runs: while somebody wants its lines.
///
/// Time and what happens are arguments. A command that ends is started again after growing pauses. One that is not wanted any more
/// gets SIGTERM, and SIGKILL two seconds later; its process group is over before it is started again.
struct CommandRun {
    /// What is to be done.
    enum Deed: Equatable {
        case start, terminate, kill
    }

    private enum State: Equatable {
        case resting
        case running(since: Int64)
        case ending(killAt: Int64)
        case killed(until: Int64)
        case waiting(until: Int64)
    }

    private var state = State.resting
    private var backoff = Backoff(
        firstNanoseconds: Nanoseconds.second / 2, longestNanoseconds: 30 * Nanoseconds.second)

    private static let graceNanoseconds = 2 * Nanoseconds.second
    /// What is left then cannot end, and is given up.
    private static let patienceNanoseconds = Nanoseconds.second
    /// One that ran for so long did what it should.
    private static let successNanoseconds = 10 * Nanoseconds.second
    /// How often to look whether a process group is over, which nothing reports.
    private static let lookNanoseconds = Nanoseconds.second / 20

    /// Whether it was asked to end.
    var isEnding: Bool {
        switch state {
        case .ending, .killed: true
        case .resting, .running, .waiting: false
        }
    }

    /// When to ask again what is to be done; nil: when something happens.
    func deadline(_ now: Int64) -> Int64? {
        switch state {
        case .resting, .running: nil
        case .ending(let instant), .killed(let instant): min(instant, now + Self.lookNanoseconds)
        case .waiting(let instant): instant
        }
    }

    /// Whether there is a process.
    var isThere: Bool {
        switch state {
        case .running, .ending, .killed: true
        case .resting, .waiting: false
        }
    }

    /// What is to be done now; nil: nothing.
    mutating func deed(isWanted: Bool, _ now: Int64) -> Deed? {
        switch state {
        case .resting where isWanted:
            state = .running(since: now)
            return .start
        case .waiting(let instant) where isWanted && now >= instant:
            state = .running(since: now)
            return .start
        case .waiting where !isWanted:
            state = .resting
            backoff.reset()
            return nil
        case .running where !isWanted:
            state = .ending(killAt: now + Self.graceNanoseconds)
            return .terminate
        case .ending(let killAt) where now >= killAt:
            state = .killed(until: now + Self.patienceNanoseconds)
            return .kill
        case .killed(let instant) where now >= instant:
            state = .resting
            return nil
        case .resting, .waiting, .running, .ending, .killed: return nil
        }
    }

    /// It has ended, or could not be started; returns the pause before it is started again if it did so by itself.
    mutating func end(_ now: Int64) -> Int64? {
        guard case .running(let since) = state else {
            state = .resting
            return nil
        }
        if now - since >= Self.successNanoseconds { backoff.reset() }
        let pause = backoff.next()
        state = .waiting(until: now + pause)
        return pause
    }
}
