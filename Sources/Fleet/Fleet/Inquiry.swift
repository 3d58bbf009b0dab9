internal import Spool
internal import Timing

/// Decides when hosts are asked for what is missing, and when that is of no use any more.
///
/// A host is asked soon, and then ever more rarely as long as nothing of it comes: at last every five minutes, for as long as it
/// keeps what has arrived. A host that is away, or silent, is not asked; once it is back, all begins anew. Of many hosts that
/// come back at once, those that have waited longest are asked first, a hundred a second: the server has to carry the answers.
package struct Inquiry: Sendable {
    /// What a host is asked for.
    package typealias Ask = (host: String, request: ResendRequest)

    private struct Key: Hashable {
        let host: String
        let epoch: Identity
        let resource: String

        init(_ missing: Missing) {
            (host, epoch, resource) = (missing.host, missing.epoch, missing.resource)
        }
    }

    private struct State {
        var left: UInt64
        let returns: UInt64
        var tries = 0
        var backoff = Backoff(
            firstNanoseconds: Inquiry.firstPauseNanoseconds, longestNanoseconds: Inquiry.longestPauseNanoseconds)
        var due: Int64
        let began: Int64
    }

    private struct Host {
        var signs: UInt64
        var lastSign: Int64
        /// Counts how often it sent something again after a silence.
        var wakings: UInt64 = 0
        var isThere = true
        /// Whether it is not worth waiting for.
        var isGone = false
    }

    private var states: [Key: State] = [:]
    private var hosts: [String: Host] = [:]
    private let delay: Int64
    private let mostTries: Int?
    private var allowance = Self.mostAsks
    private var refilled: Int64?

    private static let firstPauseNanoseconds = 4 * Nanoseconds.second
    private static let longestPauseNanoseconds = 300 * Nanoseconds.second
    /// A host reports each half minute: one that sends nothing for this time is not there, whatever its status.
    private static let silenceNanoseconds = 75 * Nanoseconds.second
    /// How long a host that was lost is waited for.
    private static let returningNanoseconds = 60 * Nanoseconds.second
    /// For how long hosts keep what has arrived if they do not report it: unless it is configured.
    private static let usuallyKeptNanoseconds = 3_600 * Nanoseconds.second
    private static let leastTries = 5
    private static let mostAsksOfHost = 16
    private static let mostAsks = 100
    private static let spacingNanoseconds = Nanoseconds.second / 100

    /// Hosts are asked for what is missing for `delay`, and at most so many times without an answer; nil: as long as it has sense.
    package init(delayNanoseconds delay: Int64, mostTries: Int? = nil) {
        self.delay = delay
        self.mostTries = mostTries
    }

    /// Whether nobody answers to what is missing any more.
    package func isHopeless(_ missing: [Missing]) -> Bool {
        missing.allSatisfy { hosts[$0.host]?.isGone ?? false || isUnanswered($0) }
    }

    /// The hosts that are there and did not answer to any request for something that is missing.
    package func unanswering(_ missing: [Missing]) -> Set<String> {
        Set(missing.filter(isUnanswered).map(\.host))
    }

    private func isUnanswered(_ missing: Missing) -> Bool {
        states[Key(missing)]?.tries ?? 0 > mostTries ?? Self.leastTries
    }

    /// The requests that are due.
    package mutating func asks(for missing: [Missing], _ now: Int64) -> [Ask] {
        look(at: missing, now)
        let there = missing.filter { hosts[$0.host]?.isThere ?? false }
        let keys = Set(there.map(Key.init))
        states = states.filter { keys.contains($0.key) }
        for missing in there { update(missing, now) }
        refill(now)
        var asks: [Ask] = []
        var counts: [String: Int] = [:]
        let due = there.filter { isDue($0, now) }.sorted { states[Key($0)]?.due ?? now < states[Key($1)]?.due ?? now }
        for missing in due where asks.count < allowance {
            let key = Key(missing)
            guard var state = states[key] else { continue }
            defer { states[key] = state }
            if let mostTries, state.tries >= mostTries {
                state.tries = mostTries + 1
                continue
            }
            let room = min(Self.mostAsksOfHost - counts[missing.host, default: 0], allowance - asks.count)
            guard room > 0 else { continue }
            state.tries += 1
            // Whatever comes later has to wait longer for its answer.
            state.due = now + state.backoff.next()
            asks += missing.ranges.prefix(room).map {
                (missing.host, ResendRequest(resource: missing.resource, epoch: missing.epoch, numbers: $0))
            }
            counts[missing.host, default: 0] += min(room, missing.ranges.count)
        }
        allowance -= asks.count
        assert((0...Self.mostAsks).contains(allowance), "no more is asked for than a server carries")
        return asks
    }

    /// Which hosts are there.
    private mutating func look(at missing: [Missing], _ now: Int64) {
        var seen: [String: Host] = [:]
        for missing in missing where seen[missing.host] == nil {
            let presence = missing.presence
            var host = hosts[missing.host] ?? Host(signs: presence.signs, lastSign: now)
            if host.signs != presence.signs {
                if now - host.lastSign > Self.silenceNanoseconds { host.wakings &+= 1 }
                (host.signs, host.lastSign) = (presence.signs, now)
            }
            let silence = now - host.lastSign
            host.isThere = presence.state ?? .online == .online && silence <= Self.silenceNanoseconds
            host.isGone = !host.isThere && (presence.state == .offline || silence > Self.returningNanoseconds)
            seen[missing.host] = host
        }
        hosts = seen
    }

    private mutating func update(_ missing: Missing, _ now: Int64) {
        let key = Key(missing)
        let returns = missing.presence.connections &+ (hosts[missing.host]?.wakings ?? 0)
        func anew(_ due: Int64) -> State { State(left: missing.count, returns: returns, due: due, began: now) }
        guard var state = states[key], state.returns == returns else {
            return states[key] = anew(now + delay)
        }
        if missing.count < state.left {
            state = anew(min(state.due, now + Nanoseconds.second))
        } else if missing.count > state.left {
            state.left = missing.count
            state.due = min(state.due, now + 10 * Nanoseconds.second)
        }
        states[key] = state
    }

    private func isDue(_ missing: Missing, _ now: Int64) -> Bool {
        guard let state = states[Key(missing)], now >= state.due else { return false }
        return state.tries < Self.leastTries
            || now - state.began <= missing.presence.keepsNanoseconds ?? Self.usuallyKeptNanoseconds
    }

    private mutating func refill(_ now: Int64) {
        let earned = max(0, now - (refilled ?? now)) / Self.spacingNanoseconds
        if earned > 0 || refilled == nil { refilled = now }
        allowance = Int(min(Int64(Self.mostAsks), Int64(allowance) + earned))
    }
}
