internal import Configuration
internal import Devices
internal import Fuzzing
internal import Platform
internal import Readings
internal import Service

/// Plays an input to a broker of its own: a step a turn of the loop.
final class Script: Scheduled {
    private var input: Input
    private let server: Server
    private let broker: Broker
    private let calls: BrokerCalls
    private let admin: AdminCalls
    private let feeds: FeedCalls
    private var devices: [Device] = []
    private var clients: [Client?] = [nil, nil, nil, nil]
    private var steps = 0

    init(_ input: Input) throws(SystemError) {
        self.input = input
        server = try Server()
        let journal = Journal(isSilent: true)
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        broker = Broker(server: server, journal: journal, health: nil, startedAt: now)
        calls = BrokerCalls(broker)
        admin = AdminCalls(broker) { answer in answer(nil, now) }
        devices = [try Device(.location, .location), try Device(.accelerometer, .acceleration)]
        for device in devices { try broker.add(device.name, device.kind, device.channel, isSimulated: false) }
        try broker.addDerived(now: now)
        feeds = FeedCalls(broker)
        let rules = [("accelerometer:a", Kind.acceleration), ("location:a", .location), ("location", .location)]
            .compactMap {
                text, kind in
                ResourceName(text).map {
                    ($0, FeedPolicy.Rule(kind, userIDs: [], groupIDs: [], samplesPerSecond: 50, isPreferred: true))
                }
            }
        broker.configure(FeedPolicy(Dictionary(uniqueKeysWithValues: rules)), now: now)
        broker.expectFeeds(now: now)
    }

    func run() throws(SystemError) { try server.run(self) }

    /// Now: the loop waits for nothing.
    var deadline: BootTime? { BootTime(nanoseconds: 0) }

    func turnWillBegin(now: BootTime) { broker.turnWillBegin(now: now) }

    func turnDidEnd(now: BootTime) {
        broker.turnDidEnd(now: now)
        steps += 1
        guard !input.isEmpty, steps < 400 else {
            broker.shutDown(now: now)
            for index in clients.indices { clients[index]?.read() }
            return server.stop()
        }
        let what = input.byte()
        step(what >> 4, of: Int(what & 3), now)
    }

    private func step(_ kind: UInt8, of index: Int, _ now: BootTime) {
        switch kind {
        case 0...6: say(index, now)
        case 7: if clients[index]?.say(input.bytes(Int(input.byte()))) == false { clients[index] = nil }
        case 8, 9: clients[index]?.read()
        case 10: clients[index] = nil
        case 11: clients[index] = Client(server, admin, now)
        case 13: clients[index] = Client(server, feeds, now)
        case 12: clients[index]?.closeWriting()
        default: devices[index & 1].act(input.byte(), now)
        }
    }

    /// A whole message: up to the next newline, a NUL behind it.
    private func say(_ index: Int, _ now: BootTime) {
        if clients[index] == nil { clients[index] = Client(server, calls, now) }
        let message = input.bytes(upTo: UInt8(ascii: "\n"))
        let text = clients[index].map { $0.filling(message) } ?? message
        if clients[index]?.say(text + [0]) == false { clients[index] = nil }
    }
}
