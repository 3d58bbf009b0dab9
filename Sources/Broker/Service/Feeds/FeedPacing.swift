internal import Admission
internal import Readings

/// How much of the loop's time the messages of programs may take: those of each user a share.
///
/// Programs of a user who has used more are not read for a while: what they send stays in their own sockets, and they wait.
struct FeedPacing {
    private var shares: [UInt32: TimeShare] = [:]
    /// The sockets that are not read, and until when.
    private var paused: [Int32: BootTime] = [:]

    /// When a socket may be read again; nil: all may be.
    var deadline: BootTime? { paused.values.min() }

    /// A user's messages took so long; returns whether the socket that they came through must not be read for a while.
    mutating func didTake(_ nanoseconds: Int64, of user: UInt32, through socket: Int32, now: BootTime) -> Bool {
        var share =
            shares[user] ?? TimeShare(percent: Limits.feedPercent, burstNanoseconds: Limits.burstNanoseconds)
        share.take(nanoseconds, now: now)
        shares[user] = share
        guard share.opensAt > now else { return false }
        paused[socket] = share.opensAt
        return true
    }

    mutating func pause(_ socket: Int32, until instant: BootTime) { paused[socket] = instant }

    /// A socket is gone, and its user's last one with it if nobody else of that user provides anything.
    mutating func end(_ socket: Int32, of user: UInt32, isLast: Bool) {
        paused[socket] = nil
        if isLast { shares[user] = nil }
    }

    mutating func takeDue(_ now: BootTime) -> [Int32] {
        let due = paused.filter { $0.value <= now }.map(\.key)
        for socket in due { paused[socket] = nil }
        return due
    }
}
