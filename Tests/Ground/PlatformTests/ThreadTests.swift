import Foundation
import Platform
import Synchronization
import Testing

@Suite struct ThreadTests {
    private final class Note: Sendable {
        let text = Mutex("")
        let done: WakeEvent

        init() throws { done = try WakeEvent() }
    }

    @Test("the body runs under the name, cut to 15 bytes, with signals blocked; its creator keeps its own mask")
    func runs() throws {
        let before = Self.blocked()
        let note = try Note()
        try Platform.Thread.start(name: "a-name-that-is-too-long") {
            let isBlocked = Set(Self.blocked()).isSuperset(of: [SIGTERM, SIGINT, SIGHUP, SIGPIPE])
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            let text = name?.trimmingCharacters(in: .newlines) ?? "no name"
            note.text.withLock { $0 = "\(text) \(isBlocked)" }
            note.done.signal()
        }
        try #require(Wait.untilReadable(note.done.descriptor, nanoseconds: 30_000_000_000).first)
        #expect(note.text.withLock { $0 } == "a-name-that-is- true")
        #expect(Self.blocked() == before)
    }

    @Test("a punctual thread's waits have no slack, and only that thread's")
    func punctual() throws {
        let note = try Note()
        try Platform.Thread.start(name: "punctual") {
            Platform.Thread.bePunctual()
            note.text.withLock { $0 = Self.slack() }
            note.done.signal()
        }
        try #require(Wait.untilReadable(note.done.descriptor, nanoseconds: 30_000_000_000).first)
        #expect(note.text.withLock { $0 } == "1")
        #expect(Self.slack() != "1")
    }

    /// The timer slack of the calling thread; the system reports it by process, but accepts a thread's number.
    private static func slack() -> String {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        let number = path?.split(separator: "/").last ?? "self"
        let text = try? String(contentsOfFile: "/proc/\(number)/timerslack_ns", encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines) ?? "unknown"
    }

    private static func blocked() -> [Int32] {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_SETMASK, nil, &mask)
        return (1..<32).filter { unsafe sigismember(&mask, $0) == 1 }
    }
}

@Suite struct LockedTests {
    @Test("threads use the value one at a time, and no change is lost")
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

    @Test("an error in the body is thrown, and the lock is free again")
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
