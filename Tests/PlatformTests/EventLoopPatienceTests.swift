import Platform
import Testing

@Suite("The patience of an event loop", .timeLimit(.minutes(30))) struct EventLoopPatienceTests {
    @Test("is none for an instant that has passed")
    func passed() throws {
        var loop = try EventLoop()
        var ready: [ReadyDescriptor] = []
        try loop.wait(nanoseconds: -1, into: &ready)
        #expect(ready.isEmpty)
    }
}
