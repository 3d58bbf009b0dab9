import Delivery
import Devices
import Glibc
import Platform
import Readings
import Testing

@testable import Service

/// A daemon that has had billions of connections.
@Suite("Tokens of connections") struct PollerTests {
    private static let generations: [UInt32] = [0, 1 << 30 - 1, 1 << 30, 1 << 31 - 1, 1 << 31, .max - 1, .max]

    @Test(
        "never equal those of a source, whatever the generation, and are returned by epoll unchanged",
        arguments: generations)
    func roundTrip(generation: UInt32) {
        for slot: UInt32 in [0, 1, 2_111, 1 << 31 - 1] {
            let connection = Awaited.connection(ConnectionToken(slot: slot, generation: generation))
            #expect(Awaited(connection.bits) == connection)
            #expect(Awaited(Awaited.source(Int(slot)).bits) == .source(Int(slot)))
        }
    }

    @Test("wrap around, and each client is served as before, among them a derivation", arguments: generations)
    func manyConnections(generation: UInt32) throws {
        let server = try Server(firstAfter: generation)
        let broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
        broker.allowEveryone(now: now)
        let channel = try DeviceChannel()
        try broker.add(.accelerometer, .acceleration, channel, isSimulated: true)
        try broker.addDerived(now: now)
        channel.send(.opened)
        channel.send(.state(.active))
        broker.devices.takeEvents(of: broker.catalog.devices[0], to: broker.sink, now)
        var others: [Int32] = []
        defer { for number in others { close(number) } }
        for name in [ResourceName.accelerometer, .orientation, .accelerometer] {
            var numbers: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
            server.clients.admit(UnixSocket(Descriptor(owning: numbers[0])), BrokerCalls(broker), now: now)
            let connection = try #require(server.clients.all.last)
            try broker.streams.subscribe(connection, [Request(resource: name)], to: broker.sink, now: now)
            others.append(numbers[1])
        }
        let value = Acceleration(x: 0, y: 0, z: 9.81)
        channel.send(.sample(Sample(sequence: 0, timestamp: now, measurement: .values(value))))
        broker.devices.takeEvents(of: broker.catalog.devices[0], to: broker.sink, now)
        broker.devices.takeEvents(of: broker.derivations.all[0].device, to: broker.sink, now)
        let delivered = server.clients.all.map { connection in
            let index = broker.streams[connection.token]?.parts.first?.resource ?? 0
            let core = broker.catalog[index]
            return core.core.account(of: .connection(connection.token))?.delivered
        }
        #expect(delivered == [1, 1, 1])
    }

    private let now = BootTime(nanoseconds: 1_000_000_000)
}
