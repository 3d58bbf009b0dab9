internal import Platform
internal import Readings

/// When a recording began to be played: one answer for all its tracks, so that they keep their places to each other.
///
/// It begins with the first device that is opened, goes on while one of them is, and begins anew after that.
public final class ReplayTimeline: Sendable {
    /// From the recording's first event to the last.
    let lengthNanoseconds: Int64
    /// From one begin to the next one, where the recording goes round; nil where it ends.
    let roundNanoseconds: Int64?
    /// A round costs something, however short it is.
    private static let shortestRoundNanoseconds: Int64 = 1_000_000
    private let state = Locked((start: BootTime(nanoseconds: 0), devices: 0))

    /// The time line of a recording that is played once, or goes round and round.
    public init(of recording: Recording, goesRound: Bool) {
        lengthNanoseconds = recording.lengthNanoseconds
        // What comes behind the end comes as late as one sample behind another.
        let interval = recording.tracks.compactMap(\.usualIntervalNanoseconds).max() ?? Recording.pauseNanoseconds
        let round = lengthNanoseconds + min(interval, Recording.pauseNanoseconds)
        roundNanoseconds = goesRound ? max(round, Self.shortestRoundNanoseconds) : nil
    }

    /// A device is opened at an instant; when the recording, or the round that is being played, began.
    func join(at now: BootTime) -> BootTime {
        state.withLock { state in
            if state.devices == 0 { state.start = now }
            state.devices += 1
            guard let roundNanoseconds else { return state.start }
            return state.start + (now - state.start) / roundNanoseconds * roundNanoseconds
        }
    }

    /// A device that joined is closed.
    func leave() { state.withLock { $0.devices -= 1 } }
}
