import Delivery
import Devices
import Glibc
import Platform
import Readings
import Testing
import Varlink

@testable import Service

@Suite("A status of many clients") struct StatusReplyTests {
    @Test("is written in parts, has each client once, and omits clients that leave meanwhile")
    func portions() throws {
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        let server = try Server()
        let broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
        broker.allowEveryone(now: now)
        let kinds = (1...14).compactMap { ResourceName("accelerometer:\($0)") }
        for name in kinds { try broker.add(name, .acceleration, try DeviceChannel(), isSimulated: true) }
        var others: [Int32] = []
        defer { for number in others { close(number) } }
        for _ in 0..<60 {
            var numbers: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
            others.append(numbers[1])
            server.clients.admit(UnixSocket(Descriptor(owning: numbers[0])), BrokerCalls(broker), now: now)
            let connection = try #require(server.clients.all.last)
            try broker.streams.subscribe(connection, kinds.map { Request(resource: $0) }, to: broker.sink, now: now)
        }
        let reply = StatusReply(broker)
        var (text, portions, isLast) = ([UInt8](), 0, false)
        while !isLast {
            var writer = JSONWriter()
            isLast = reply.writePortion(into: &writer, now: now)
            text += writer.bytes
            portions += 1
            // The most bytes of a client's lines, beyond the size of a portion.
            #expect(writer.bytes.count < 3 * Limits.portionBytes)
            if portions == 2 {
                server.clients.close(try #require(server.clients.all.last))
                server.clients.removeClosed(now)
            }
        }
        #expect(portions > 10 && text.popLast() == 0)
        guard case .success(let status, _) = try Reply(parsing: text) else { throw SystemError("reply", code: 0) }
        #expect(try status.objects("clients").map { try $0.integer("id") } == Array(1...59))
        #expect(try status.objects("clients").allSatisfy { try $0.objects("resources").count == 14 })
        #expect(try status.objects("devices").count == 14)
    }
}
