internal import Timing

/// Texts of which only the newest counts, each on a topic of its own: what the server keeps for whoever comes later.
///
/// Retained messages are none of the spool's: an older text is never sent once there is a newer one. At most one of a
/// topic and a few of all are out at once, and each topic has at most one a second, so they never get in the way of
/// messages.
package struct RetainedMessages: Sendable {
    private struct Retained {
        var text: [UInt8] = []
        /// When the text may be sent; nil: it was.
        var due: Int64?
        /// When another text may follow the one that was sent.
        var earliest = Int64.min
        var identifier: Int32?
    }

    private var messages: [String: Retained] = [:]
    /// The topics that wait, in the order in which they came.
    private var waiting: [String] = []
    private var topics: [Int32: String] = [:]

    private static let mostOut = 4
    /// From one text of a topic to the next.
    private static let spacingNanoseconds = Nanoseconds.second
    /// How long a server that has too much to do is left alone.
    private static let pauseNanoseconds = 10 * Nanoseconds.second

    package init() {}

    /// The newest text of a topic, which is sent as soon as it may be.
    package mutating func put(_ text: [UInt8], on topic: String, _ now: Int64) {
        var message = messages[topic] ?? Retained()
        if message.due == nil { waiting.append(topic) }
        message.text = text
        message.due = max(now, message.earliest, message.due ?? now)
        messages[topic] = message
    }

    /// What to send now; whoever does calls `didPublish`.
    package func next(_ now: Int64) -> (topic: String, text: [UInt8])? {
        guard topics.count < Self.mostOut else { return nil }
        for topic in waiting {
            guard let message = messages[topic], message.identifier == nil, let due = message.due, due <= now else {
                continue
            }
            return (topic, message.text)
        }
        return nil
    }

    /// When something may be sent; nil: not before something happens.
    package var deadline: Int64? {
        guard topics.count < Self.mostOut else { return nil }
        return waiting.compactMap { messages[$0]?.identifier == nil ? messages[$0]?.due : nil }.min()
    }

    /// The newest text of a topic was sent.
    package mutating func didPublish(_ topic: String, _ identifier: Int32, _ now: Int64) {
        assert(messages[topic]?.identifier == nil, "one message of a topic is out at once")
        assert(topics[identifier] == nil && topics.count < Self.mostOut, "few are out at once")
        waiting.removeAll { $0 == topic }
        messages[topic]?.due = nil
        messages[topic]?.identifier = identifier
        topics[identifier] = topic
        messages[topic]?.earliest = now + Self.spacingNanoseconds
    }

    /// An answer: the topic, nil if it belongs to none of these messages.
    ///
    /// A server that has too much to do gets it later.
    package mutating func answer(_ identifier: Int32, reason: Int32, _ now: Int64) -> String? {
        guard let topic = topics.removeValue(forKey: identifier) else { return nil }
        messages[topic]?.identifier = nil
        if Verdict(reason: reason) == .busy {
            if messages[topic]?.due == nil { waiting.append(topic) }
            messages[topic]?.due = now + Self.pauseNanoseconds
        }
        return topic
    }

    /// A connection is ready: the server may have forgotten everything.
    package mutating func connect(_ now: Int64) {
        topics = [:]
        waiting = messages.keys.sorted()
        for topic in waiting {
            messages[topic]?.identifier = nil
            messages[topic]?.due = now
        }
    }
}
