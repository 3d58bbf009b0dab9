import Testing

@testable import MQTT

@Suite struct UnansweredMessagesTests {
    private static let millisecond: Int64 = 1_000_000

    private static func message(bytes: Int = 1, mayWait: Bool) -> UnansweredMessages.Message {
        UnansweredMessages.Message(identifier: 7, bytes: bytes, mayWait: mayWait)
    }

    @Test("the server is read at once, unless all that is unanswered may wait; then after a quarter of a second")
    func pauses() {
        var unanswered = UnansweredMessages()
        #expect(unanswered.pause(0) == nil)
        unanswered.add(Self.message(mayWait: true), as: 1, 100 * Self.millisecond)
        #expect(unanswered.pause(101 * Self.millisecond) == 350 * Self.millisecond)
        unanswered.add(Self.message(mayWait: false), as: 2, 102 * Self.millisecond)
        #expect(unanswered.pause(102 * Self.millisecond) == nil)
        #expect(unanswered.remove(2, 0)?.identifier == 7)
        #expect(unanswered.pause(103 * Self.millisecond) == 352 * Self.millisecond)
        #expect(unanswered.pause(352 * Self.millisecond) == nil)
        #expect(unanswered.remove(1, 0) != nil)
        #expect(unanswered.pause(353 * Self.millisecond) == nil)
    }

    @Test("whoever is awake reads the server in a pause, too, but not for each of many messages")
    func awake() {
        var unanswered = UnansweredMessages()
        #expect(unanswered.pause(0) == nil)
        #expect(unanswered.isWorthReading(100 * Self.millisecond) == false, "nothing is to come")
        unanswered.add(Self.message(mayWait: true), as: 1, 0)
        #expect(unanswered.isWorthReading(49 * Self.millisecond) == false)
        #expect(unanswered.isWorthReading(100 * Self.millisecond) == true)
        #expect(unanswered.isWorthReading(149 * Self.millisecond) == false)
        // So a stream of ten a second needs no wake-up for its answers.
        #expect(unanswered.pause(150 * Self.millisecond) == 350 * Self.millisecond)
    }

    @Test("an identifier that comes again takes the place of the former one")
    func again() {
        var unanswered = UnansweredMessages()
        unanswered.add(Self.message(bytes: 5, mayWait: false), as: 1, 0)
        unanswered.add(Self.message(bytes: 3, mayWait: true), as: 1, 0)
        #expect(unanswered.bytes == 3)
        _ = unanswered.pause(0)
        #expect(unanswered.pause(1) != nil)
        #expect(unanswered.remove(1, 0)?.bytes == 3 && unanswered.bytes == 0)
        #expect(unanswered.remove(1, 0) == nil)
    }

    @Test("one that the server passes over is noticed after five minutes, and so is a server that answers nothing")
    func forgotten() {
        let second = 1_000 * Self.millisecond
        var unanswered = UnansweredMessages()
        for own: Int32 in 1...3 { unanswered.add(Self.message(mayWait: true), as: own, 0) }
        #expect(!unanswered.isAnyForgotten(300 * second) && unanswered.isAnyForgotten(301 * second))
        // However long a slow link takes, they are answered in their order.
        _ = unanswered.remove(1, 299 * second)
        #expect(!unanswered.isAnyForgotten(599 * second) && unanswered.isAnyForgotten(600 * second))
        _ = unanswered.remove(3, 599 * second)
        #expect(unanswered.isAnyForgotten(600 * second))
        _ = unanswered.remove(2, 600 * second)
        #expect(!unanswered.isAnyForgotten(9_999 * second))
    }
}
