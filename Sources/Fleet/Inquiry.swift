internal import Spool
internal import Varlink

/// Decides when hosts are asked for what is missing, and when that is of no use any more.
///
/// A host is asked soon, and then ever more rarely as long as nothing of it comes. It answers ten requests a second.
public struct Inquiry: Sendable {
    /// A request to a host.
    public struct Ask: Equatable, Sendable {
        /// The host.
        public let host: String
        /// What to publish on its topic `…/resend`.
        public let payload: [UInt8]
    }

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
        var tries = 0
        var due: Int64
    }

    private var states: [Key: State] = [:]
    private let delay: Int64
    private let mostTries: Int

    private static let second: Int64 = 1_000_000_000
    private static let mostAsksOfHost = 16
    private static let mostAsks = 1_000

    /// Hosts are asked for what is missing for `delay`, and `mostTries` times without an answer.
    public init(delayNanoseconds delay: Int64, mostTries: Int = 5) {
        self.delay = delay
        self.mostTries = mostTries
    }

    /// Whether nobody answers to what is missing any more.
    public func isHopeless(_ missing: [Missing]) -> Bool {
        missing.allSatisfy { missing in
            (states[Key(missing)]?.tries ?? 0) > mostTries || missing.state.map { $0 != .online } ?? false
        }
    }

    /// The requests that are due.
    public mutating func asks(for missing: [Missing], _ now: Int64) -> [Ask] {
        let keys = Set(missing.map(Key.init))
        states = states.filter { keys.contains($0.key) }
        var asks: [Ask] = []
        var counts: [String: Int] = [:]
        for missing in missing where asks.count < Self.mostAsks {
            let key = Key(missing)
            var state = states[key] ?? State(left: missing.count, due: now + delay)
            if missing.count != state.left {
                state = State(left: missing.count, due: min(state.due, now + Self.second))
            }
            defer { states[key] = state }
            guard now >= state.due, state.tries <= mostTries else { continue }
            let room = Self.mostAsksOfHost - counts[missing.host, default: 0]
            guard room > 0 else { continue }
            state.tries += 1
            state.due = now + 2 * Self.second << Int64(min(state.tries, 10))
            // Whatever comes later has to wait longer for its answer.
            guard state.tries <= mostTries else { continue }
            for range in missing.ranges.prefix(room) {
                asks.append(Ask(host: missing.host, payload: Self.payload(missing, range)))
            }
            counts[missing.host, default: 0] += min(room, missing.ranges.count)
        }
        return asks
    }

    private static func payload(_ missing: Missing, _ range: ClosedRange<UInt64>) -> [UInt8] {
        var writer = JSONWriter()
        writer.value([
            "resource": .string(missing.resource), "epoch": .string(missing.epoch.description),
            "from": .integer(Int64(clamping: range.lowerBound)), "to": .integer(Int64(clamping: range.upperBound)),
        ])
        return writer.bytes
    }
}
