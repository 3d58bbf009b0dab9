/// One entry of the journal in its native form: a field a line. systemd.journal-fields(7)
///
/// A value stands on one line: control characters are taken out, so none from outside can forge a further field.
struct JournalEntry {
    let priority: Journal.Priority
    let text: String
    let event: JournalEvent
    let fields: [JournalField: String]

    /// The bytes of the datagram, as text.
    var datagram: String {
        let own = fields.map { ($0.rawValue, $1) }.sorted { $0.0 < $1.0 }
        let all =
            [
                ("MESSAGE", text), ("PRIORITY", "\(priority.rawValue)"), ("MESSAGE_ID", event.rawValue),
                ("SYSLOG_IDENTIFIER", "sensorbrokerd"),
            ] + own
        return all.map { "\($0)=\(Self.clean($1))\n" }.joined()
    }

    /// A text on one line, which a pipe takes as a whole: longer ones are cut.
    static func clean(_ text: String) -> String {
        text.unicodeScalars.prefix(960).map { $0.value < 0x20 || $0.value == 0x7f ? "?" : String($0) }.joined()
    }
}
