import Foundation
import Glibc
import Platform
import Readings
import Testing
import Varlink

@testable import Service

/// Clients that connect, by a clock of the test.
@Suite("The acceptor") struct AcceptorTests {
    private final class World {
        var now = BootTime(nanoseconds: 10_000_000_000)
        var hasStreams = false
        var admitted = 0
    }

    private final class Handler: CallHandler {
        let information = ServiceInformation.sensorbrokerd([.broker])
        func answer(
            _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
        ) throws(VarlinkError) { writer.reply() }
        func didDrain(_ connection: Connection, now: BootTime) {}
        func didClose(_ connection: Connection, now: BootTime) {}
    }

    private let world = World()
    private let poller: Poller
    private let sources: EventSources
    private let acceptor: Acceptor
    private let path = FileManager.default.temporaryDirectory.path + "/acceptor-\(UUID().uuidString.prefix(8))"

    init() throws {
        poller = try Poller()
        sources = try EventSources(poller, clock: { [world] in world.now })
        acceptor = Acceptor(
            sources, RationedJournal(Journal(isSilent: true)), clock: { [world] in world.now },
            hasStreams: { [world] in world.hasStreams })
    }

    /// Each accepted client takes this long.
    private func listen(takes nanoseconds: Int64 = 0) throws {
        let listener = Listener(try ListeningSocket(path: path, mode: 0o600, groupID: nil), Handler())
        try acceptor.add(listener) { [world] socket, _ in
            world.admitted += 1
            world.now = world.now + nanoseconds
            _ = socket.release()
        }
    }

    private func connect(_ count: Int) throws -> [Int32] {
        try (0..<count).map { _ in
            let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
            let result = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
            return number
        }
    }

    /// How many clients are accepted in one turn of the loop.
    private func turn() throws -> Int {
        let before = world.admitted
        var ready = ReadyList()
        poller.wake(at: world.now, now: world.now)
        try poller.wait(into: &ready, isHeldUp: { false })
        _ = sources.act(on: ready, world.now)
        return world.admitted - before
    }

    @Test("accepts a bounded number of connections per turn, and the others in the next ones")
    func bounded() throws {
        try listen()
        let clients = try connect(Limits.acceptsPerTurn + 3)
        defer { for number in clients { close(number) } }
        #expect(try turn() == Limits.acceptsPerTurn)
        #expect(try turn() == 3)
        #expect(try turn() == 0)
    }

    @Test("pauses while there are streams when connects have used their share of the time, and then continues")
    func share() throws {
        try listen(takes: 1_000_000)
        world.hasStreams = true
        let clients = try connect(20)
        defer { for number in clients { close(number) } }
        while acceptor.deadline == nil { _ = try turn() }
        let deadline = try #require(acceptor.deadline)
        #expect(deadline > world.now && world.admitted < 20)
        #expect(try turn() == 0, "it is paused")
        world.now = deadline
        acceptor.resume(deadline)
        #expect(acceptor.deadline == nil)
        #expect(try turn() > 0)
    }

    @Test("restores a socket whose path was removed, for clients that came before and for those that come after")
    func restored() throws {
        try listen()
        let before = try connect(1)
        #expect(unsafe unlink(path) == 0)
        let lost = acceptor.restoreSockets(world.now)
        guard case .restored(let path)? = lost.first, lost.count == 1 else {
            Issue.record("\(lost)")
            return
        }
        #expect(path == self.path)
        #expect(world.admitted == 1)
        let after = try connect(1)
        defer { for number in before + after { close(number) } }
        #expect(try turn() == 1)
        #expect(acceptor.restoreSockets(world.now).isEmpty)
        acceptor.close()
    }
}
