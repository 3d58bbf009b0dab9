internal import Varlink

/// What must hold of any message, whatever is in it.
enum Message {
    static func check(_ bytes: [UInt8]) {
        if let value = try? JSONReader.read(bytes) {
            precondition(depth(of: value) <= JSONLimits.calls.depth, "deeper than allowed")
            precondition(reread(value) == value, "what is written is read back otherwise")
        }
        if let call = try? Call(parsing: bytes) { check(call) }
        if let reply = try? Reply(parsing: bytes) { check(reply) }

    }

    private static func check(_ call: Call) {
        var writer = JSONWriter()
        writer.call(call)
        precondition(writer.bytes.last == 0 && !writer.bytes.dropLast().contains(0), "a call is not one message")
        precondition((try? Call(parsing: writer.bytes.dropLast())) == call, "a call is read back otherwise")
        var answer = JSONWriter()
        if service.answer(call, into: &answer), call.mode != .oneway {
            precondition((try? Reply(parsing: answer.bytes.dropLast())) != nil, "an answer is no reply")
        }
    }

    private static func check(_ reply: Reply) {
        var writer = JSONWriter()
        switch reply {
        case .success(let parameters, let continues): writer.reply(parameters.object, continues: continues)
        case .failure(let error): writer.reply(error)
        }
        precondition((try? Reply(parsing: writer.bytes.dropLast())) == reply, "a reply is read back otherwise")
    }

    private static func reread(_ value: JSONValue) -> JSONValue? {
        var writer = JSONWriter()
        writer.value(value)
        return try? JSONReader.read(writer.bytes)
    }

    private static func depth(of value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }

    private static let service = ServiceInformation(
        vendor: "vendor", product: "product", version: "1", url: "https://example.org", interfaces: [.broker, .admin])
}
