import Platform
import Readings
import Testing

@testable import Service

@Suite("The loop's sources other than clients") struct EventSourcesTests {
    private final class World {
        var now = BootTime(nanoseconds: 10_000_000_000)
        var acts: [Int] = []
    }

    private let world = World()
    private let poller: Poller
    private let sources: EventSources

    init() throws {
        poller = try Poller()
        sources = try EventSources(poller, clock: { [world] in world.now })
    }

    /// Serves the sources that are ready, without waiting.
    private func turn() throws -> [Int] {
        world.acts = []
        var ready = ReadyList()
        poller.wake(at: world.now, now: world.now)
        try poller.wait(into: &ready, isHeldUp: { false })
        _ = sources.act(on: ready, world.now)
        return world.acts
    }

    private func watch(_ event: borrowing WakeEvent, _ name: Int, takes nanoseconds: Int64 = 0) throws {
        try sources.watch(event.descriptor, for: .read) { [world] _ in
            world.acts.append(name)
            world.now = world.now + nanoseconds
        }
    }

    @Test("are served when ready, until one is no longer watched")
    func ready() throws {
        let one = try WakeEvent()
        let two = try WakeEvent()
        try watch(one, 1)
        try watch(two, 2)
        #expect(try turn() == [])
        two.signal()
        #expect(try turn() == [2])
        one.signal()
        #expect(try turn() == [1, 2])
        sources.unwatch(two.descriptor)
        #expect(try turn() == [1])
        sources.unwatch(two.descriptor)
        #expect(try turn() == [1])
    }

    @Test("take the slots of those that are no longer watched, however many come and go")
    func slots() throws {
        let lasting = try WakeEvent()
        try watch(lasting, 0)
        for number in 1...100 {
            let passing = try WakeEvent()
            try watch(passing, number)
            passing.signal()
            #expect(try turn() == [number])
            sources.unwatch(passing.descriptor)
        }
        #expect(sources.count <= 3)
        lasting.signal()
        #expect(try turn() == [0])
    }

    @Test("are not served while paused, also if paused twice")
    func paused() throws {
        let event = try WakeEvent()
        try watch(event, 1)
        event.signal()
        sources.pause(event.descriptor)
        #expect(try turn() == [])
        try sources.resume(event.descriptor)
        try sources.resume(event.descriptor)
        #expect(try turn() == [1])
    }

    @Test("continue with another descriptor in place of a closed one")
    func replaced() throws {
        let former = try WakeEvent()
        let next = try WakeEvent()
        try watch(former, 1)
        sources.pause(former.descriptor)
        sources.replace(former.descriptor, with: next.descriptor)
        try sources.resume(next.descriptor)
        former.signal()
        #expect(try turn() == [])
        next.signal()
        #expect(try turn() == [1])
    }

    @Test("have a time limit per turn; a source without its time is ready in the next, and comes first")
    func time() throws {
        let one = try WakeEvent()
        let two = try WakeEvent()
        try watch(one, 1, takes: Limits.sourceTurnNanoseconds)
        try watch(two, 2, takes: Limits.sourceTurnNanoseconds)
        one.signal()
        two.signal()
        let first = try turn()
        let second = try turn()
        #expect(first.count == 1 && second.count == 1 && first != second)
    }
}
