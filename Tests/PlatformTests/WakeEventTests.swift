import Platform
import Testing

@Suite struct WakeEventTests {
    @Test("rung often, it is heard once")
    func heardOnce() throws {
        let bell = try WakeEvent()
        for _ in 0..<3 { bell.ring() }
        #expect(Wait.untilReadable(bell.descriptor, nanoseconds: 0).first)
        bell.clear()
        #expect(!Wait.untilReadable(bell.descriptor, nanoseconds: 0).first)
        bell.clear()
    }
}
