/// As the process of a connection reports it to its program.
extension ServerEvent: FrameMessage {
    /// The most bytes of words, and of a topic with what replaces bytes that are no text.
    private static let mostTextBytes = 256 << 10

    /// The most bytes of a report whose payload is bounded.
    static func mostBytes(payload: Int) -> Int { payload + mostTextBytes }

    func append(to frames: inout [UInt8]) {
        switch self {
        case .reached: FrameWriter.append(0, to: &frames)
        case .connected(let greeting):
            FrameWriter.append(
                1, greeting.reason, greeting.receiveMaximum.map(Int32.init(clamping:)),
                greeting.packetMaximum.map(Int32.init(clamping:)), greeting.maximumQoS, greeting.retains,
                to: &frames)
        case .answered(let identifier, let reason): FrameWriter.append(2, identifier, reason, to: &frames)
        case .message(let topic, let payload, let isRetained):
            FrameWriter.append(3, isRetained, topic, payload, to: &frames)
        case .subscribed(let reason): FrameWriter.append(4, reason, to: &frames)
        case .disconnected(let reason): FrameWriter.append(5, reason, to: &frames)
        case .ended(let end): FrameWriter.append(6, end.cause.rawValue, end.words, to: &frames)
        }
    }

    init(_ frame: ArraySlice<UInt8>) throws(BrokenFrame) {
        var reader = FrameReader(frame)
        switch try reader.byte() {
        case 0: self = .reached
        case 1:
            let reason = try reader.signed()
            let receive = try reader.optional { (reader) throws(BrokenFrame) in try reader.count() }
            let packet = try reader.optional { (reader) throws(BrokenFrame) in try reader.count() }
            self = .connected(
                Greeting(
                    reason: reason, receiveMaximum: receive, packetMaximum: packet, maximumQoS: try reader.signed(),
                    retains: try reader.flag()))
        case 2: self = .answered(identifier: try reader.signed(), reason: try reader.signed())
        case 3:
            let isRetained = try reader.flag()
            self = .message(topic: try reader.text(), payload: try reader.payload(), isRetained: isRetained)
        case 4: self = .subscribed(reason: try reader.signed())
        case 5: self = .disconnected(reason: try reader.signed())
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
