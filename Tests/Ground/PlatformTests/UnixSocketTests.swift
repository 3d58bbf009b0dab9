import Glibc
import Platform
import Testing

@Suite("A client's socket") struct UnixSocketTests {
    @Test("accepts bytes until it is full, and the peer gets them")
    func fills() throws {
        let pair = try SocketPair()
        pair.near.setSendBuffer(bytes: 4_096)
        let message = [UInt8](repeating: 7, count: 300)
        var taken = 0
        while case .sent = pair.near.send(message.span) { taken += 1 }
        #expect(taken > 0)
        #expect(pair.near.send(message.span) == .full)
        #expect(pair.near.unreadBytes() > 0)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        #expect(pair.far.receive(into: &buffer) == .received(taken * 300))
        #expect(pair.far.receive(into: &buffer) == .nothing)
        #expect(pair.near.send(message.span) == .sent)
    }

    @Test("accepts the first part of a message that does not fit")
    func partial() throws {
        let pair = try SocketPair()
        pair.near.setSendBuffer(bytes: 4_096)
        let message = [UInt8](repeating: 7, count: 1 << 20)
        guard case .partly(let count) = pair.near.send(message.span) else {
            Issue.record("not taken in part")
            return
        }
        #expect((1..<message.count).contains(count))
    }

    @Test("reports the end of the peer without a signal")
    func ended() throws {
        let pair = try SocketPair()
        pair.endFar()
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(pair.near.receive(into: &buffer) == .ended)
        #expect(pair.near.send([1].span) == .failed(EPIPE))
    }

    @Test("identifies its peer")
    func peer() throws {
        let pair = try SocketPair()
        let peer = try pair.near.peer()
        #expect(peer.processID == getpid())
        #expect(peer.userID == geteuid())
        #expect(peer.groupID == getegid())
    }

    @Test("has one identifier whatever its number, and no other has it")
    func cookie() throws {
        let pair = try SocketPair()
        let again = UnixSocket(Descriptor(owning: dup(pair.near.number)))
        #expect(pair.near.cookie != 0)
        #expect(again.cookie == pair.near.cookie)
        #expect(pair.far.cookie != pair.near.cookie)
        let file = try MemoryFile([], name: "test")
        #expect(UnixSocket(Descriptor(owning: dup(file.number))).cookie == 0)
    }

    @Test("ends for its peer although another process holds it; sent bytes are still read")
    func end() throws {
        let pair = try SocketPair()
        let again = UnixSocket(Descriptor(owning: dup(pair.near.number)))
        #expect(pair.near.send([1, 2].span) == .sent)
        pair.near.end()
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(pair.far.receive(into: &buffer) == .received(2))
        #expect(pair.far.receive(into: &buffer) == .ended)
        withExtendedLifetime(again) {}
    }
}
