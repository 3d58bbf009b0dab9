import Platform
import Testing

@Suite struct LockedTests {
    @Test("one at a time, and nothing is lost")
    func exclusion() async {
        final class Shared: Sendable { let numbers = Locked([Int]()) }
        let shared = Shared()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for index in 0..<500 { shared.numbers.withLock { $0.append(task * 500 + index) } } }
            }
        }
        #expect(shared.numbers.withLock { Set($0) }.count == 4000)
    }

    @Test("what a use throws comes out, and the lock is free again")
    func failure() {
        struct Refusal: Error {}
        let locked = Locked(1)
        #expect(throws: Refusal.self) {
            try locked.withLock { value throws(Refusal) in
                value = 2
                throw Refusal()
            }
        }
        #expect(locked.withLock { $0 } == 2)
    }
}
