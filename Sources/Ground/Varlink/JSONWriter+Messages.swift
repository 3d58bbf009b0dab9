/// Writes calls and replies as whole messages, with the final NUL. Absent, empty and false members of the header are
/// left out: some well-known peers hang up when they receive a false flag or `"error":null`.
extension JSONWriter {
    /// Begins a reply; the caller then writes the keys and values of its parameters and calls `endReply`.
    public mutating func beginReply() {
        assert(bytes.last ?? 0 == 0, "a message begins where another has ended")
        literal("{\"parameters\":{")
    }

    /// Ends a reply; `continues`: more replies to the same `more` call follow.
    public mutating func endReply(continues: Bool = false) {
        endParameters()
        if continues {
            separate()
            literal("\"continues\":true")
        }
        literal("}\0")
    }

    /// Writes a whole reply.
    public mutating func reply(_ parameters: JSONObject = [:], continues: Bool = false) {
        beginReply()
        members(of: parameters)
        endReply(continues: continues)
    }

    /// Writes a whole error reply, which ends the call.
    public mutating func reply(_ error: VarlinkError) {
        beginObject()
        member("error", error.name)
        beginObject("parameters")
        members(of: error.parameters)
        endParameters()
        endObject()
        endMessage()
    }

    /// Writes a whole call.
    public mutating func call(_ call: Call) {
        beginObject()
        member("method", call.qualifiedMethod)
        beginObject("parameters")
        members(of: call.parameters.object)
        endParameters()
        if call.mode != .plain {
            key(escaping: call.mode.rawValue)
            bool(true)
        }
        endObject()
        endMessage()
    }

    /// Removes the `parameters` member again if it is empty.
    private mutating func endParameters() {
        guard bytes.last == UInt8(ascii: "{") else { return endObject() }
        bytes.removeLast("\"parameters\":{".utf8.count)
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
    }
}
