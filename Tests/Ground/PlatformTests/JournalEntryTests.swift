import Testing

@testable import Platform

@Suite("An entry of the journal")
struct JournalEntryTests {
    private func datagram(_ text: String, _ fields: [JournalField: String] = [:]) -> String {
        JournalEntry(priority: .warning, text: text, event: .resourceUnavailable, fields: fields).datagram
    }

    @Test("has a field per line, its own ones after the journal's")
    func fields() {
        #expect(
            datagram("it is gone", [.resource: "location", .reason: "unplugged"]) == """
                MESSAGE=it is gone
                PRIORITY=4
                MESSAGE_ID=7ba3df2cc3134e11be23f92b252d1885
                SYSLOG_IDENTIFIER=sensorbrokerd
                SENSORBROKER_REASON=unplugged
                SENSORBROKER_RESOURCE=location

                """)
    }

    @Test("cannot get another field from the text of a value")
    func forgery() {
        let lines = datagram("a\nPRIORITY=0", [.reason: "b\r\nMESSAGE_ID=0\0c"]).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.contains("MESSAGE=a\\u000aPRIORITY=0"))
        #expect(lines.contains("SENSORBROKER_REASON=b\\u000d\\u000aMESSAGE_ID=0\\u0000c"))
    }

    @Test("is no longer than a pipe takes as a whole, also with escapes")
    func length() {
        for text in [String(repeating: "\u{9B}", count: 2_000), String(repeating: "😀", count: 2_000)] {
            #expect(datagram(text).split(separator: "\n")[0].utf8.count < 4_096 - 64)
        }
    }

    @Test("is of a kind that no other event has, in the journal's form")
    func identifiers() {
        let ids = JournalEvent.allCases.map(\.rawValue)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    }
}
