internal import Varlink

extension JSONWriter {
    /// The bytes of a whole reply, whose members a closure writes; `continues`: more replies to the same call follow.
    static func reply(
        capacity: Int = 512, continues: Bool = false, _ write: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.beginReply()
        write(&writer)
        writer.endReply(continues: continues)
        return writer.bytes
    }
}
