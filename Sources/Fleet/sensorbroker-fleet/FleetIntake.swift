internal import Fleet
internal import Glibc

/// What came from a server or a capture, sorted: whose it is, and what.
struct FleetIntake {
    /// Something of a host.
    enum Item {
        case report(HostReport, isRetained: Bool)
        case message(FleetMessage, resource: String, isLate: Bool)
        case unreadable
    }

    private let prefix: String
    private let pattern: String

    init(prefix: String, hosts pattern: String) {
        self.prefix = prefix
        self.pattern = pattern
    }

    /// Takes what a payload has, in its order.
    func read(_ topic: String, _ payload: [UInt8], isRetained: Bool, _ take: (_ host: String, Item) -> Void) {
        guard let topic = FleetTopic(topic, prefix: prefix), matches(topic.host) else { return }
        switch topic.content {
        case .status:
            // An empty one takes back what the server had kept.
            if payload.isEmpty { return }
            guard let report = HostReport(payload) else { return take(topic.host, .unreadable) }
            take(topic.host, .report(report, isRetained: isRetained))
        case .messages(let resource, let isLate):
            let isWhole = Payload.read(payload) { take(topic.host, .message($0, resource: resource, isLate: isLate)) }
            if !isWhole { take(topic.host, .unreadable) }
        }
    }

    /// As in a shell. `fnmatch(3)`
    private func matches(_ host: String) -> Bool { unsafe fnmatch(pattern, host, 0) == 0 }
}

extension FleetAccount {
    /// Takes what came of a host; false if it is nothing new.
    @discardableResult
    mutating func take(_ item: FleetIntake.Item, of host: String) -> Bool {
        switch item {
        case .report(let report, let isRetained): take(report, of: host, isRetained: isRetained)
        case .message(let message, let resource, let isLate):
            return take(message, of: host, resource: resource, isLate: isLate)
        case .unreadable: takeUnreadable(of: host)
        }
        return true
    }
}
