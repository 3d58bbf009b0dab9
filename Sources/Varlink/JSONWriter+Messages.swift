/// Calls and replies, each a whole message with its NUL. What is absent, empty or false is left out of the header: a
/// flag that is false, or an `"error":null`, makes well-known peers hang up.
extension JSONWriter {
    /// Begins a reply; its parameters' keys and values follow, then `endReply`.
    public mutating func beginReply() {
        beginObject()
        beginParameters()
    }

    /// Ends a reply; it continues where more replies to the same call, made with `more`, follow.
    public mutating func endReply(continues: Bool = false) {
        endParameters()
        if continues {
            key("continues")
            bool(true)
        }
        endObject()
        endMessage()
    }

    /// A whole reply.
    public mutating func reply(_ parameters: JSONObject = [:], continues: Bool = false) {
        beginReply()
        members(of: parameters)
        endReply(continues: continues)
    }

    /// A whole reply that ends the call in an error.
    public mutating func reply(_ error: VarlinkError) {
        beginObject()
        key("error")
        string(error.name)
        beginParameters()
        members(of: error.parameters)
        endParameters()
        endObject()
        endMessage()
    }

    /// A whole call.
    public mutating func call(_ call: Call) {
        beginObject()
        key("method")
        string(call.qualifiedMethod)
        beginParameters()
        members(of: call.parameters.object)
        endParameters()
        if call.mode != .plain {
            key(escaping: call.mode.rawValue)
            bool(true)
        }
        endObject()
        endMessage()
    }

    private mutating func beginParameters() {
        key("parameters")
        beginObject()
    }

    /// Takes empty parameters back.
    private mutating func endParameters() {
        guard bytes.last == UInt8(ascii: "{") else { return endObject() }
        bytes.removeLast("\"parameters\":{".utf8.count)
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
    }
}
