import Testing

@testable import Platform

@Suite struct WakeEventTests {
    @Test("an event that is set often is seen once")
    func seenOnce() throws {
        let event = try WakeEvent()
        for _ in 0..<3 { event.signal() }
        #expect(Wait.untilReadable(event.descriptor, nanoseconds: 0).first)
        event.clear()
        #expect(!Wait.untilReadable(event.descriptor, nanoseconds: 0).first)
        event.clear()
    }
}

@Suite struct WakeTimerTests {
    private func isDue(_ descriptor: Int32, within nanoseconds: Int64? = 0) -> Bool {
        Wait.untilReadable(descriptor, nanoseconds: nanoseconds).first
    }

    @Test("a timer is readable from its instant on until it is set again")
    func due() throws {
        let timer = try WakeTimer()
        #expect(!isDue(timer.descriptor))
        timer.set(nanoseconds: 1)
        #expect(isDue(timer.descriptor, within: nil) && isDue(timer.descriptor))
        timer.set(nanoseconds: nil)
        #expect(!isDue(timer.descriptor))
    }

    @Test(
        "an instant that has passed is due at once, and one in centuries is not", arguments: [0, -1, Int64.min, .max])
    func extremes(nanoseconds: Int64) throws {
        let timer = try WakeTimer()
        timer.set(nanoseconds: nanoseconds)
        #expect(isDue(timer.descriptor, within: nanoseconds < .max ? nil : 0) == (nanoseconds < .max))
    }
}

@Suite struct WaitTests {
    @Test("it reports which of two descriptors is ready, and neither after a timeout")
    func reportsWhich() throws {
        let first = try WakeEvent()
        let second = try WakeEvent()
        func wait() -> Wait.Ready { Wait.untilReadable(first.descriptor, second.descriptor, nanoseconds: 0) }
        #expect(wait() == Wait.Ready(first: false, second: false))
        second.signal()
        #expect(wait() == Wait.Ready(first: false, second: true))
        first.signal()
        #expect(wait() == Wait.Ready(first: true, second: true))
    }

    @Test("a past deadline does not wait, and not for ever", arguments: [0, -1, Int64.min] as [Int64])
    func passed(nanoseconds: Int64) throws {
        let event = try WakeEvent()
        #expect(!Wait.untilReadable(event.descriptor, nanoseconds: nanoseconds).first)
    }

    @Test("an invalid descriptor ends the wait: its reader will get the error")
    func badDescriptor() { #expect(Wait.untilReadable(1_000_000, nanoseconds: nil).first) }
}

@Suite("The patience of an event loop", .timeLimit(.minutes(30))) struct EventLoopPatienceTests {
    @Test("is zero for a past instant")
    func passed() throws {
        let loop = try EventLoop()
        var ready = ReadyList()
        try loop.wait(nanoseconds: -1, into: &ready)
        #expect(ready.isEmpty)
    }
}
