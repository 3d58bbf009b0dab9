/// What messages a topic of a fleet has: `PREFIX/HOST/RESOURCE`, `…/RESOURCE/late` or `…/status`.
package struct FleetTopic: Equatable, Sendable {
    /// What messages on this topic contain.
    package enum Content: Equatable, Sendable {
        /// Numbered messages of a resource, late ones or such as come at their time.
        case messages(resource: String, isLate: Bool)
        /// The status of the host.
        case status
    }

    package let host: String
    package let content: Content

    /// A name that is longer is none of ours.
    package static let longestHost = 128

    /// Parses a topic; nil if its messages are nothing for consumers.
    package init?(_ topic: String, prefix: String) {
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let levels = topic.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(levels.count), (1...Self.longestHost).contains(levels[0].utf8.count) else { return nil }
        host = String(levels[0])
        let name = String(levels[1])
        switch (name, levels.count) {
        case ("status", 2): content = .status
        case (_, 2) where WantedReading.isResource(name) && name != "resend":
            content = .messages(resource: name, isLate: false)
        case (_, 3) where WantedReading.isResource(name) && levels[2] == "late":
            content = .messages(resource: name, isLate: true)
        default: return nil
        }
    }

    /// The host of a topic whose messages are nothing for consumers because its name is too long.
    package static func hostThatIsTooLong(_ topic: String, prefix: String) -> Substring? {
        guard topic.utf8.count > longestHost, topic.hasPrefix(prefix + "/") else { return nil }
        let levels = topic.dropFirst(prefix.count + 1).split(separator: "/", maxSplits: 1)
        guard levels.count == 2, levels[0].utf8.count > longestHost else { return nil }
        return levels[0]
    }
}
