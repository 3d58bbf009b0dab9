import Admission
import Configuration
import Delivery
import Devices
import Glibc
import Platform
import Readings
import Testing

@testable import Service

@Suite("A daemon that takes over", .timeLimit(.minutes(30))) struct TakeOverTests {
    /// A broker with an accelerometer, whose loop runs one turn.
    private final class Successor {
        let server: Server
        let broker: Broker
        let arrivals: ResourceArrivals
        private let event: WakeEvent
        private let now = BootTime(nanoseconds: Clock.bootNanoseconds())

        init() throws {
            server = try Server()
            broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
            broker.allowEveryone(now: now)
            arrivals = try ResourceArrivals()
            event = try WakeEvent()
            try broker.add(.accelerometer, .acceleration, try DeviceChannel(), isSimulated: true)
            try broker.serve(arrivals)
        }

        func takeOver(_ handover: Handover, _ sockets: [Int32], ledger: [Int64]? = nil) {
            broker.takeOver(
                [handover.text], ledger: ledger, sockets, calls: BrokerCalls(broker),
                administration: AdminCalls(broker) { _ in }, now: now)
        }

        /// Does what is due by now, and closes everything.
        func turnOnce() throws {
            event.signal()
            try server.watch(event.descriptor) { [unowned server] _ in server.stop() }
            try server.run(broker)
        }
    }

    private func handover(_ cookies: [UInt64], of resource: ResourceName) -> Handover {
        var handover = Handover()
        handover.resources = [HandedResource(name: resource, kind: .acceleration)]
        handover.connections = cookies.enumerated().map { index, cookie in
            var connection = HandedConnection(
                cookie: cookie, door: .clients, serial: index + 7, slot: LedgerSlot(index),
                connectedSince: BootTime(nanoseconds: 1))
            let part = HandedPart(
                Request(resource: resource), intervalNanoseconds: 50_000_000, batchNanoseconds: 0,
                ClientAccount(since: BootTime(nanoseconds: 1)))
            connection.task = .stream(HandedStream(id: StreamID(), revision: 3, parts: [part]))
            return connection
        }
        return handover
    }

    @Test("keeps a resource that is found later for its clients: unavailable, then as before")
    func awaited() throws {
        let name = try #require(ResourceName("accelerometer:1"))
        let client = try PairedClient()
        let successor = try Successor()
        successor.takeOver(handover([client.cookie], of: name), [client.near])
        #expect(successor.broker.catalog.resources.map { $0.core.name } == [.accelerometer, name])
        #expect(successor.broker.catalog.device(of: 1).isAwaited)
        // No thread exists that the end would wait for.
        #expect(successor.broker.channels.count == 1)
        let started = try WakeEvent()
        let number = started.descriptor
        successor.arrivals.announce(
            ResourceArrival(name: name, kind: .acceleration, isSimulated: false) { _ in
                var one: UInt64 = 1
                _ = unsafe write(number, &one, 8)
            })
        try successor.turnOnce()
        #expect(Wait.untilReadable(number, nanoseconds: 0).first)
        #expect(!successor.broker.catalog.device(of: 1).isAwaited)
        #expect(successor.broker.channels.count == 2)
        let received = client.received()
        #expect(received.contains(#""state":"unavailable","reason":"it has not been found again"#))
        withExtendedLifetime(started) {}
    }

    @Test("serves a stream whose batch no device could fill, until it knows better")
    func endlessBatch() throws {
        let client = try PairedClient()
        let successor = try Successor()
        var handover = handover([client.cookie], of: .accelerometer)
        let part = HandedPart(
            Request(resource: .accelerometer), intervalNanoseconds: 0, batchNanoseconds: 1 << 60,
            ClientAccount(since: BootTime(nanoseconds: 1)))
        handover.connections[0].task = .stream(HandedStream(id: StreamID(), revision: 1, parts: [part]))
        successor.takeOver(handover, [client.near])
        #expect(successor.broker.streams.all.count == 1)
        try successor.turnOnce()
    }

    @Test("forgets a missing resource without clients")
    func unwanted() throws {
        let name = try #require(ResourceName("accelerometer:1"))
        var handover = handover([], of: name)
        handover.resources.append(HandedResource(name: .accelerometer, kind: .acceleration))
        let successor = try Successor()
        successor.takeOver(handover, [])
        #expect(successor.broker.catalog.resources.map { $0.core.name } == [.accelerometer])
    }

    @Test("closes unknown sockets, and serves one that is passed twice only once")
    func unknown() throws {
        let (known, unknown) = (try PairedClient(), try PairedClient())
        let successor = try Successor()
        let handed = handover([known.cookie, 12_345_678], of: .accelerometer)
        successor.takeOver(handed, [known.near, unknown.near, dup(known.near)])
        #expect(successor.server.clients.all.map(\.serial) == [7])
        #expect(unknown.received() == "⇥")
        #expect(known.received() == "")
        var ids: [StreamID] = []
        if case .stream(let stream) = handed.connections[0].task { ids = [stream.id] }
        #expect(!ids.isEmpty && successor.broker.streams.all.map(\.id) == ids)
        #expect(successor.broker.catalog.device(of: 0).core.demand != nil)
        try successor.turnOnce()
    }

    @Test("continues streams beyond the limits that hold now")
    func beyondShare() throws {
        let clients = [try PairedClient(), try PairedClient()]
        let successor = try Successor()
        let terms = Quota.Terms(total: 1, perUser: 1, perTrustedUser: 1)
        let quotas = successor.server.clients.quotas
        (quotas.connections.terms, quotas.subscriptions.terms) = (terms, terms)
        successor.takeOver(handover(clients.map(\.cookie), of: .accelerometer), clients.map(\.near))
        #expect(successor.server.clients.count == 2 && quotas.subscriptions.charged == 2)
        try successor.turnOnce()
    }

    @Test("ends the stream of a user who may no longer read it")
    func rights() throws {
        let client = try PairedClient()
        let successor = try Successor()
        successor.broker.configure(.notLoaded, now: BootTime(nanoseconds: 1))
        successor.takeOver(handover([client.cookie], of: .accelerometer), [client.near])
        // Root and the daemon's own user may read everything.
        let connection = try #require(successor.server.clients.all.first)
        let mayRead = successor.broker.catalog.rights(of: connection).mayRead(.acceleration)
        try successor.turnOnce()
        #expect(client.received().contains("permissionDenied") != mayRead)
    }

    @Test("does not trap whatever a handover contains", arguments: 0..<40 as Range<UInt64>)
    func anything(_ seed: UInt64) throws {
        var random = RandomHandover(generator: SplitMix64(seed: seed))
        var handover = random.handover()
        let clients = try handover.connections.map { _ in try PairedClient() }
        handover.connections = zip(handover.connections, clients).map { connection, client in
            var other = HandedConnection(
                cookie: client.cookie, door: connection.door, serial: connection.serial, slot: connection.slot,
                connectedSince: connection.connectedSince)
            other.unread = connection.unread
            other.unsent = connection.unsent
            other.isBlocked = connection.isBlocked
            other.task = connection.task
            return other
        }
        let successor = try Successor()
        successor.takeOver(
            handover, clients.map(\.near), ledger: [Int64](repeating: 0, count: LedgerLayout.count))
        let channel = successor.broker.catalog.device(of: 0).channel
        channel.send(.opened)
        channel.send(
            .profile(
                DeviceProfile(
                    offered: .discrete([10_000_000]), intervalNanoseconds: 10_000_000, description: nil, simulated: true
                )))
        for index in 0..<5 {
            let measurement = Measurement.values(Acceleration(x: 0, y: 0, z: 9.8))
            let timestamp = BootTime(nanoseconds: Clock.bootNanoseconds() + Int64(index) * 10_000_000)
            channel.send(
                .sample(Sample(sequence: UInt64(index), timestamp: timestamp, measurement: measurement)))
        }
        try successor.turnOnce()
        withExtendedLifetime(clients) {}
    }
}
