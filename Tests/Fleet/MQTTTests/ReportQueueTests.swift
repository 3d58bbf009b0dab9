import Glibc
import Platform
import Testing

@testable import MQTT

/// Bytes that stand for a frame.
private struct Raw: FrameMessage {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func append(to frames: inout [UInt8]) { frames += bytes }
}

@Suite final class ReportQueueTests {
    private static let second: Int64 = 1_000_000_000

    private let ours: UnixSocket
    private let theirs: Descriptor
    private var queue = ReportQueue()

    init() throws {
        var numbers: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        ours = UnixSocket(Descriptor(owning: numbers[0]))
        theirs = Descriptor(owning: numbers[1])
    }

    /// What the program gets at a time.
    private func sent(_ now: Int64) -> [UInt8] {
        let isThere = queue.flush(to: ours, now)
        #expect(isThere)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe recv(theirs.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return Array(bytes.prefix(max(0, count)))
    }

    @Test("answers that may wait are sent two seconds after the first of them")
    func answers() {
        #expect(queue.due(0) == .max)
        queue.add(Raw([1]), mayWait: true, 0)
        queue.add(Raw([2]), mayWait: true, Self.second)
        #expect(queue.due(Self.second) == 2 * Self.second && !queue.awaitsRoom(Self.second))
        #expect(sent(2 * Self.second - 1) == [])
        #expect(sent(2 * Self.second) == [1, 2])
        #expect(queue.due(2 * Self.second) == .max && queue.count == 0)
        queue.add(Raw([3]), mayWait: true, 3 * Self.second)
        #expect(sent(4 * Self.second) == [] && queue.due(4 * Self.second) == 5 * Self.second)
    }

    @Test("sixteen answers wait for nothing more, so that few messages are sent again after a crash")
    func many() {
        for number: UInt8 in 1...15 { queue.add(Raw([number]), mayWait: true, 0) }
        #expect(sent(0) == [])
        queue.add(Raw([16]), mayWait: true, 0)
        #expect(sent(0) == Array(1...16))
        queue.add(Raw([1]), mayWait: true, 1)
        #expect(sent(1) == [])
    }

    @Test("anything else is sent at once, and what waits before it")
    func others() {
        queue.add(Raw([1]), mayWait: true, 0)
        queue.add(Raw([2]), mayWait: false, 1)
        #expect(queue.awaitsRoom(1) && sent(1) == [1, 2])
        #expect(!queue.awaitsRoom(2))
    }

    @Test("while the socket is full it waits for room, and not for a time")
    func full() {
        let many = [UInt8](repeating: 7, count: 4 << 20)
        queue.add(Raw(many), mayWait: false, 0)
        let isThere = queue.flush(to: ours, 0)
        #expect(isThere && queue.count > 0)
        #expect(queue.awaitsRoom(1) && queue.due(1) == .max)
    }
}
