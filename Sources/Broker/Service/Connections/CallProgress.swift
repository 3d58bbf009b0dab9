internal import Platform

/// How far a connection is with its client's calls, which are answered one at a time.
struct CallProgress {
    enum Phase {
        /// Waits for the next call.
        case ready
        /// Answers a call over time: a stream, or a reading that has not come yet.
        case busy
        /// Will be removed at the end of the turn.
        case closing
    }

    private(set) var phase = Phase.ready
    /// Whether the connection is queued to be served; then nothing is read from it.
    private(set) var isWaiting = false
    /// The interest that epoll was last given.
    private var armed: EventLoop.Interest = .read
    /// A reply that is written in portions; nil: there is none.
    private(set) var longReply: (any LongReply)?

    /// The current call will be answered over time, perhaps in portions; false: the connection is closing.
    mutating func begin(_ reply: (any LongReply)? = nil) -> Bool {
        assert(phase != .busy, "calls are answered one at a time")
        guard phase == .ready else { return false }
        phase = .busy
        longReply = reply
        return true
    }

    /// The current call is answered; false: the connection is closing.
    mutating func finish() -> Bool {
        assert(phase != .ready, "no call is in hand")
        guard phase == .busy else { return false }
        phase = .ready
        longReply = nil
        return true
    }

    /// Queues the connection to be served; false: it is queued already, or there is nothing to serve.
    mutating func beginWaiting() -> Bool {
        guard phase == .ready || phase == .busy && longReply != nil, !isWaiting else { return false }
        isWaiting = true
        return true
    }

    mutating func endWaiting() {
        assert(isWaiting, "a connection that was not queued is served")
        isWaiting = false
    }

    /// From now on nothing more is read or sent; false: the connection was closing already.
    mutating func close() -> Bool {
        guard phase != .closing else { return false }
        phase = .closing
        longReply = nil
        return true
    }

    /// What epoll must wait for from now on; nil: that has not changed.
    mutating func takeChangeOfInterest(isBlocked: Bool, hasEnded: Bool) -> EventLoop.Interest? {
        guard phase != .closing else { return nil }
        let wanted: EventLoop.Interest =
            isBlocked ? .write : phase == .ready && !hasEnded && !isWaiting ? .read : []
        guard wanted != armed else { return nil }
        armed = wanted
        return wanted
    }
}
