import Testing

@testable import Fleet

private let second: Int64 = 1_000_000_000

/// Retained messages, and which were sent.
private final class Rig {
    var retained = RetainedMessages()
    var now: Int64 = 0
    var sent: [String] = []
    private var identifier: Int32 = 0

    func put(_ text: String, on topic: String) { retained.put(Array(text.utf8), on: topic, now) }

    /// Sends what may be sent; the identifiers.
    @discardableResult func send() -> [Int32] {
        var identifiers: [Int32] = []
        while let (topic, text) = retained.next(now) {
            identifier += 1
            retained.didPublish(topic, identifier, now)
            identifiers.append(identifier)
            sent.append("\(topic)=\(String(decoding: text, as: UTF8.self))")
        }
        return identifiers
    }

    func answer(_ identifiers: [Int32], _ reason: Int32 = 0) -> [String?] {
        identifiers.map { retained.answer($0, reason: reason, now) }
    }
}

@Suite struct RetainedMessagesTests {
    @Test("of each topic only the newest text is sent, at most one a second, and one at a time")
    func newest() {
        let rig = Rig()
        rig.put("1", on: "a")
        rig.put("2", on: "a")
        let out = rig.send()
        rig.put("3", on: "a")
        rig.now = second / 2
        #expect(rig.send().isEmpty && rig.retained.deadline == nil)
        #expect(rig.answer(out) == ["a"] && rig.retained.deadline == second)
        rig.put("4", on: "a")
        #expect(rig.send().isEmpty)
        rig.now = second
        rig.send()
        #expect(rig.sent == ["a=2", "a=4"])
    }

    @Test("however many texts come, few are out at once, and topics have their turns")
    func bounded() {
        let rig = Rig()
        for index in 0..<10_000 { rig.put("\(index)", on: "t\(index % 20)") }
        var out = rig.send()
        #expect(out.count == 4)
        while !out.isEmpty {
            _ = rig.answer(out)
            out = rig.send()
        }
        #expect(rig.sent == (0..<20).map { "t\($0)=\(9_980 + $0)" })
    }

    @Test("a new connection gets all of them, and answers of the former one are nobody's")
    func reconnected() {
        let rig = Rig()
        rig.put("1", on: "a")
        rig.put("1", on: "b")
        let out = rig.send()
        rig.retained.connect(rig.now)
        #expect(rig.answer(out) == [nil, nil])
        rig.send()
        #expect(rig.sent == ["a=1", "b=1", "a=1", "b=1"])
    }

    @Test("a server that has too much to do gets it later, one that does not allow it does not get it again")
    func refused() {
        let rig = Rig()
        rig.put("1", on: "a")
        _ = rig.answer(rig.send(), 0x97)
        #expect(rig.send().isEmpty && rig.retained.deadline == 10 * second)
        rig.now = 10 * second
        _ = rig.answer(rig.send(), 0x87)
        rig.now = 100 * second
        #expect(rig.send().isEmpty && rig.sent.count == 2)
    }
}
