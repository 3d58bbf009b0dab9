@testable import Platform
import Testing

@Suite struct WaitTests {
    @Test("it tells which of two bells rang, and neither where time runs out")
    func tellsWhich() throws {
        let first = try WakeEvent()
        let second = try WakeEvent()
        func wait() -> Wait.Ready { Wait.untilReadable(first.descriptor, second.descriptor, nanoseconds: 0) }
        #expect(wait() == Wait.Ready(first: false, second: false))
        second.ring()
        #expect(wait() == Wait.Ready(first: false, second: true))
        first.ring()
        #expect(wait() == Wait.Ready(first: true, second: true))
    }

    @Test("a time that has passed is no wait, and not for ever", arguments: [0, -1, Int64.min] as [Int64])
    func passed(nanoseconds: Int64) throws {
        let bell = try WakeEvent()
        #expect(!Wait.untilReadable(bell.descriptor, nanoseconds: nanoseconds).first)
    }

    @Test("a descriptor that is none ends the wait: its reader will learn the error")
    func badDescriptor() { #expect(Wait.untilReadable(1_000_000, nanoseconds: nil).first) }
}
