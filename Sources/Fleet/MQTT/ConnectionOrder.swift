internal import Fleet

/// What a program orders of the process of its connection.
enum ConnectionOrder: Equatable, FrameMessage {
    /// The first: what connection it is to be.
    case begin(ConnectionPlan)
    /// Send a message; the answer comes with this identifier, and may come late if it may wait.
    case publish(identifier: Int32, topic: String, payload: [UInt8], isRetained: Bool, mayWait: Bool)
    /// Ask for the messages of a topic.
    case subscribe(String)
    /// The program is not hung.
    case alive
    /// End the connection in order.
    case disconnect

    /// A payload is no larger than a packet of MQTT; the rest is small.
    static let mostBytes = (256 << 20) + (1 << 20)

    func append(to frames: inout [UInt8]) {
        switch self {
        case .begin(let plan):
            FrameWriter.append(
                0, plan.server.description, plan.clientID, plan.version.rawValue, plan.certificate, plan.key,
                plan.authority, plan.user, plan.password, plan.will, plan.sessionSeconds, plan.keepaliveSeconds,
                Int32(clamping: plan.mostPayloadBytes), to: &frames)
        case .publish(let identifier, let topic, let payload, let isRetained, let mayWait):
            FrameWriter.append(1, identifier, isRetained, mayWait, topic, payload, to: &frames)
        case .subscribe(let topic): FrameWriter.append(2, topic, to: &frames)
        case .alive: FrameWriter.append(3, to: &frames)
        case .disconnect: FrameWriter.append(4, to: &frames)
        }
    }

    init(_ frame: ArraySlice<UInt8>) throws(BrokenFrame) {
        var reader = FrameReader(frame)
        switch try reader.byte() {
        case 0: self = .begin(try ConnectionPlan(&reader))
        case 1:
            let (identifier, isRetained, mayWait) = (try reader.signed(), try reader.flag(), try reader.flag())
            self = .publish(
                identifier: identifier, topic: try reader.text(), payload: try reader.payload(),
                isRetained: isRetained, mayWait: mayWait)
        case 2: self = .subscribe(try reader.text())
        case 3: self = .alive
        case 4: self = .disconnect
        default: throw BrokenFrame()
        }
        try reader.finish()
    }
}

extension ConnectionPlan.Will: FrameField {
    func append(to frame: inout [UInt8]) {
        topic.append(to: &frame)
        payload.append(to: &frame)
        isKept.append(to: &frame)
    }
}

extension ConnectionPlan {
    fileprivate init(_ reader: inout FrameReader) throws(BrokenFrame) {
        let (url, clientID) = (try reader.text(), try reader.text())
        guard let server = try? ServerAddress(parsing: url), let version = ProtocolVersion(rawValue: try reader.text())
        else { throw BrokenFrame() }
        self.init(server, clientID: clientID, version: version)
        certificate = try reader.optional(Self.text)
        key = try reader.optional(Self.text)
        authority = try reader.optional(Self.text)
        user = try reader.optional(Self.text)
        password = try reader.optional(Self.text)
        will = try reader.optional { (reader) throws(BrokenFrame) in
            Will(topic: try reader.text(), payload: try reader.payload(), isKept: try reader.flag())
        }
        sessionSeconds = try reader.unsigned()
        keepaliveSeconds = try reader.signed()
        mostPayloadBytes = try reader.count()
    }

    private static func text(_ reader: inout FrameReader) throws(BrokenFrame) -> String { try reader.text() }
}
