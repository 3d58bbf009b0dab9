/// What the process of a connection reports to its program.
enum ConnectionReport: Equatable {
    /// Something came from the server.
    case event(ServerEvent)
    /// The last: the connection has ended.
    case ended(ConnectionEnd)

    /// The most bytes of words, and of a topic with what replaces bytes that are no text.
    private static let mostTextBytes = 256 << 10

    /// The most bytes of a report whose payload is bounded.
    static func mostBytes(payload: Int) -> Int { payload + mostTextBytes }

    /// The bytes of its frame.
    var frame: [UInt8] {
        switch self {
        case .event(.reached): return FrameWriter(kind: 0).finish()
        case .event(.connected(let greeting)):
            var writer = FrameWriter(kind: 1)
            writer.add(greeting.reason)
            for limit in [greeting.receiveMaximum, greeting.packetMaximum] {
                writer.add(limit) { $0.add(Int32(clamping: $1)) }
            }
            writer.add(greeting.maximumQoS)
            writer.add(greeting.retains)
            return writer.finish()
        case .event(.answered(let identifier, let reason)):
            var writer = FrameWriter(kind: 2)
            writer.add(identifier)
            writer.add(reason)
            return writer.finish()
        case .event(.message(let topic, let payload, let isRetained)):
            var writer = FrameWriter(kind: 3, capacity: topic.utf8.count + payload.count)
            writer.add(isRetained)
            writer.add(topic)
            writer.add(payload)
            return writer.finish()
        case .event(.subscribed(let reason)):
            var writer = FrameWriter(kind: 4)
            writer.add(reason)
            return writer.finish()
        case .event(.disconnected(let reason)):
            var writer = FrameWriter(kind: 5)
            writer.add(reason)
            return writer.finish()
        case .ended(let end):
            var writer = FrameWriter(kind: 6)
            writer.add(end.cause.rawValue)
            writer.add(end.words)
            return writer.finish()
        }
    }

    /// The report of a frame.
    init(_ frame: ArraySlice<UInt8>) throws(BrokenFrame) {
        var reader = FrameReader(frame)
        switch try reader.byte() {
        case 0: self = .event(.reached)
        case 1:
            let reason = try reader.signed()
            let receive = try reader.optional { (reader) throws(BrokenFrame) in try reader.count() }
            let packet = try reader.optional { (reader) throws(BrokenFrame) in try reader.count() }
            self = .event(
                .connected(
                    Greeting(
                        reason: reason, receiveMaximum: receive, packetMaximum: packet, maximumQoS: try reader.signed(),
                        retains: try reader.flag())))
        case 2: self = .event(.answered(identifier: try reader.signed(), reason: try reader.signed()))
        case 3:
            let isRetained = try reader.flag()
            self = .event(
                .message(topic: try reader.text(), payload: try reader.payload(), isRetained: isRetained))
        case 4: self = .event(.subscribed(reason: try reader.signed()))
        case 5: self = .event(.disconnected(reason: try reader.signed()))
        case 6:
            guard let cause = ConnectionEnd.Cause(rawValue: try reader.byte()), cause != .crashed else {
                throw BrokenFrame()
            }
            self = .ended(ConnectionEnd(cause, try reader.text()))
        default: throw BrokenFrame()
        }
        try reader.finish()
    }
}
