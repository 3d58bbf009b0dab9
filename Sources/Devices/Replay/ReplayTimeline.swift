internal import Platform
internal import Readings

/// When the replay of a recording started; shared by all tracks, so that they stay in step.
///
/// It starts when the first device is opened, continues while one is open, and starts again after that.
public final class ReplayTimeline: Sendable {
    /// The time from the recording's first event to the last.
    let lengthNanoseconds: Int64
    /// The period of a repeating replay; nil if it does not repeat.
    let roundNanoseconds: Int64?
    /// Each round costs something, so there is a shortest one.
    private static let shortestRoundNanoseconds: Int64 = 1_000_000
    private let state = Locked((start: BootTime(nanoseconds: 0), devices: 0))

    /// Creates a time line for one replay, or for a repeating one.
    public init(of recording: Recording, goesRound: Bool) {
        lengthNanoseconds = recording.lengthNanoseconds
        // The pause after the end is as long as the interval between samples.
        let interval = recording.tracks.compactMap(\.usualIntervalNanoseconds).max() ?? Recording.pauseNanoseconds
        let round = lengthNanoseconds + min(interval, Recording.pauseNanoseconds)
        roundNanoseconds = goesRound ? max(round, Self.shortestRoundNanoseconds) : nil
    }

    /// Registers a device that is opened; returns the start of the recording, or of the current round.
    func join(at now: BootTime) -> BootTime {
        state.withLock { state in
            if state.devices == 0 { state.start = now }
            state.devices += 1
            assert(state.devices > 0)
            guard let roundNanoseconds else { return state.start }
            return state.start + (now - state.start) / roundNanoseconds * roundNanoseconds
        }
    }

    /// Removes a device that is closed.
    func leave() {
        state.withLock {
            assert($0.devices > 0, "who leaves has joined")
            $0.devices -= 1
        }
    }
}
