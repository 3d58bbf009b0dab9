internal import BrokerClient

/// Decides which grants and states of a stream are shown.
///
/// A stream begins with its name, a grant for each resource and two or three states before the first reading. These are
/// not shown if the broker grants what was requested. Shown are a grant that differs from the request, a resource that
/// stops working, and one that works again.
struct News {
    let isVerbose: Bool
    /// The last known interval and batch of each resource; a nil interval matches any.
    private var granted: [String: (interval: Int64?, batch: Int64)]
    private var states: [String: String] = [:]

    init(isVerbose: Bool, asked: [Request] = []) {
        self.isVerbose = isVerbose
        granted = Dictionary(
            asked.map { ($0.resource, ($0.intervalNanoseconds, $0.batchNanoseconds ?? 0)) }, uniquingKeysWith: { $1 })
    }

    /// Whether a grant is news.
    mutating func takes(_ grant: Grant) -> Bool {
        let known = granted.updateValue((grant.intervalNanoseconds, grant.batchNanoseconds), forKey: grant.resource)
        guard !isVerbose, let known else { return true }
        return (known.interval ?? grant.intervalNanoseconds, known.batch)
            != (grant.intervalNanoseconds, grant.batchNanoseconds)
    }

    /// Whether the state of a resource is news: the broker also sends a resource when something else of it changes.
    mutating func takes(_ resource: Resource) -> Bool {
        let before = states[resource.name]
        let state = resource.stateText
        guard state != before else { return false }
        if isVerbose {
            states[resource.name] = state
            return true
        }
        switch resource.state {
        // Normal steps before the first reading.
        case "idle", "warm", "starting": return false
        case "active":
            states[resource.name] = nil
            return before != nil
        default:
            states[resource.name] = state
            return true
        }
    }
}
