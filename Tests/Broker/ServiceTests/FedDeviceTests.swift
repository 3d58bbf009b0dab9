import Admission
import Delivery
import Devices
import Platform
import Readings
import Testing
import Varlink

@testable import Devices
@testable import Service

@Suite("A device that a program provides") struct FedDeviceTests {
    private let now = BootTime(nanoseconds: Clock.bootNanoseconds())

    private func rule(_ kind: Kind, prefers: Bool = false) -> FeedPolicy.Rule {
        FeedPolicy.Rule(kind, userIDs: [], groupIDs: [], samplesPerSecond: 1_000, isPreferred: prefers)
    }

    private func name(_ text: String) throws -> ResourceName { try #require(ResourceName(text)) }

    @Test("is refused while no settings name it")
    func closed() throws {
        let rig = try FeedRig()
        #expect(rig.provide("accelerometer:arm").contains("NotAllowed"))
        #expect(rig.broker.catalog.resources.isEmpty)
    }

    @Test("is a resource like others, which stays when the program goes")
    func life() throws {
        let rig = try FeedRig()
        rig.broker.configure(FeedPolicy([try name("accelerometer:arm"): rule(.acceleration)]), now: now)
        #expect(rig.provide("accelerometer:arm").contains(#""wanted":false"#))
        let resource = try #require(rig.broker.catalog.resources.first)
        #expect(resource.core.state == .idle)
        rig.leave()
        guard case .unavailable = resource.core.state else { Issue.record("\(resource.core.state)"); return }
        // Whoever provides the same again continues it.
        #expect(rig.provide("accelerometer:arm").contains(#""wanted":false"#))
        #expect(rig.broker.catalog.resources.count == 1 && resource.core.state == .idle)
        #expect(rig.broker.catalog.devices.count == 1)
    }

    @Test("gives way to a sensor whose thread knows from its start that it is released")
    func released() throws {
        let rig = try FeedRig()
        let name = try name("accelerometer:arm")
        rig.broker.configure(FeedPolicy([name: rule(.acceleration)]), now: now)
        rig.broker.expectFeeds(now: now)
        rig.broker.releases.release(.all, seconds: nil, to: rig.broker.sink, now: now)
        let arrivals = try ResourceArrivals()
        let (start, release) = (try SharedWakeEvent(), try SharedWakeEvent())
        arrivals.announce(
            ResourceArrival(name: name, kind: .acceleration, isSimulated: true) { channel in
                start.signal()
                if channel.commands.isReleased { release.signal() }
            })
        rig.broker.take(arrivals, now: now)
        #expect(start.isSignalled && release.isSignalled)
    }

    @Test("may have other resources the next time, and none is lost or doubled")
    func regrouped() throws {
        let rig = try FeedRig()
        let names = [try name("accelerometer:arm"), try name("gyroscope:arm"), try name("light:arm")]
        rig.broker.configure(
            FeedPolicy([
                names[0]: rule(.acceleration), names[1]: rule(.angularVelocity), names[2]: rule(.illuminance),
            ]), now: now)
        for offer in [[0], [0, 1], [2, 1], [1], [0, 1, 2]] {
            #expect(rig.provide(offer.map { names[$0].description }).contains(#""wanted":false"#))
            for index in offer {
                let resource = try #require(rig.broker.catalog.index(of: names[index]))
                #expect(rig.broker.catalog[resource].core.state == .idle)
            }
            rig.leave()
        }
        #expect(rig.broker.catalog.resources.count == 3)
        #expect(rig.broker.catalog.devices.allSatisfy { !$0.core.resources.isEmpty })
    }

    @Test("leaves its name to what is derived later, and whoever asked for it asks for that")
    func derivedLater() throws {
        let rig = try FeedRig()
        let kinds: [Kind] = [.heading, .acceleration, .angularVelocity, .magneticField]
        rig.broker.configure(
            FeedPolicy(Dictionary(uniqueKeysWithValues: kinds.map { ($0.row.firstResource, rule($0)) })), now: now)
        _ = rig.provide("heading")
        try rig.subscribe(Kind.heading.row.firstResource)
        rig.leave()
        let received = rig.provide("accelerometer", "gyroscope", "magnetometer")
        let heading = try #require(rig.broker.catalog.index(of: Kind.heading.row.firstResource))
        #expect(rig.broker.catalog.device(of: heading).isDerived)
        #expect(received.contains(#""wanted":true"#), "\(received)")
    }

    @Test("goes on when a reload gives the devices of the host another address")
    func elsewhere() throws {
        let rig = try FeedRig()
        let name = try name("accelerometer:arm")
        rig.broker.configure(FeedPolicy([name: rule(.acceleration)]), now: now)
        _ = rig.provide("accelerometer:arm")
        try rig.subscribe(name)
        try rig.followCommands()
        #expect(rig.received().contains(#""wanted":true"#))
        rig.broker.remakeDevices(of: [.acceleration])
        try rig.followCommands()
        #expect(rig.received() == "")
    }

    @Test("says that no section names it any more, also where a program provided it until then")
    func forbidden() throws {
        let rig = try FeedRig()
        rig.broker.configure(FeedPolicy([try name("accelerometer:arm"): rule(.acceleration)]), now: now)
        _ = rig.provide("accelerometer:arm")
        rig.broker.configure(FeedPolicy([:]), now: now)
        rig.leave()
        rig.broker.devices.refreshMissing(now)
        try rig.followCommands()
        let reason = rig.broker.catalog.resources[0].core.state.reason
        #expect(reason == "the configuration has no section [Feed accelerometer:arm] any more")
    }

    @Test("has no thread that anybody waits for")
    func threads() throws {
        let rig = try FeedRig()
        rig.broker.configure(FeedPolicy([try name("accelerometer:arm"): rule(.acceleration)]), now: now)
        _ = rig.provide("accelerometer:arm")
        #expect(rig.broker.channels.isEmpty)
    }
}

/// A broker without devices, and a program at the other end of a socket; turns are made by hand.
private final class FeedRig {
    let broker: Broker
    private let server: Server
    private let calls: FeedCalls
    private var program: PairedClient?
    private var reader: PairedClient?
    /// Time stands still, so that no call waits for its turn.
    private let now: BootTime

    init() throws {
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        self.now = now
        server = try Server(clock: { now })
        broker = Broker(server: server, journal: Journal(), health: nil, startedAt: now)
        calls = FeedCalls(broker)
    }

    deinit { server.close() }

    func provide(_ names: String...) -> String { provide(names) }

    /// A program offers resources; returns what it receives.
    func provide(_ names: [String]) -> String {
        guard let client = try? PairedClient() else { return "" }
        program = client
        server.clients.admit(UnixSocket(Descriptor(owning: client.near)), calls, now: now)
        var writer = JSONWriter()
        let offers = names.map { JSONValue.object(["name": .string($0)]) }
        writer.call(Call("io.sensorbroker.Feed.Provide", parameters: ["resources": .array(offers)], mode: .more))
        #expect(client.far.send(writer.bytes.span) == .sent)
        turn()
        return client.received()
    }

    /// A client has a stream of a resource.
    func subscribe(_ name: ResourceName) throws {
        broker.allowEveryone(now: now)
        let client = try PairedClient()
        reader = client
        server.clients.admit(UnixSocket(Descriptor(owning: client.near)), BrokerCalls(broker), now: now)
        let connection = try #require(server.clients.all.max { $0.serial < $1.serial })
        try broker.streams.subscribe(connection, [Request(resource: name)], to: broker.sink, now: now)
        turn()
    }

    /// The device takes what it was asked for.
    func followCommands() throws { for _ in 0..<2 { _ = try server.step(broker) } }

    /// What the program has received since.
    func received() -> String { program?.received() ?? "" }

    /// The program closes its connection.
    func leave() {
        program?.far.end()
        program = nil
        turn()
    }

    private func turn() {
        for connection in server.clients.all {
            connection.input.setReadable()
            server.clients.calls.enqueue(connection)
        }
        for _ in 0..<3 {
            _ = server.turn(now) {
                for connection in server.clients.all where connection.phase == .busy {
                    if Wait.untilReadable(connection.socket.number, nanoseconds: 0).first, program == nil {
                        server.clients.close(connection)
                    }
                }
            }
            broker.turnDidEnd(now: now)
        }
    }
}
