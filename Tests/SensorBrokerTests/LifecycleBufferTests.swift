import Testing

@testable import SensorBroker

@Suite struct LifecycleBufferTests {
    @Test("the oldest go, and are counted where they were")
    func missed() {
        var buffer = LifecycleBuffer(capacity: 2)
        for attempt in 1...5 { buffer.append(.reconnecting(after: .zero, attempt: attempt)) }
        #expect(buffer.popFirst() == .missed(3))
        #expect(buffer.popFirst() == .reconnecting(after: .zero, attempt: 4))
        #expect(buffer.popFirst() == .reconnecting(after: .zero, attempt: 5))
        #expect(buffer.popFirst() == nil)
    }
}
