import Delivery
import Devices
import Glibc
import Platform
import Readings
import Testing
import Varlink

@testable import Service

/// A broker in virtual time, whose device is the test: an accelerometer and a gyroscope of 100 Hz; and one client with a stream.
final class RevisedBroker {
    /// From one sample of the device to the next.
    static let period: Int64 = 10_000_000
    static let gyroscope = ResourceName("gyroscope") ?? .accelerometer

    private final class FarEnd {
        private let socket: UnixSocket
        init(_ socket: consuming UnixSocket) { self.socket = socket }
    }

    private final class Time { var now = BootTime(nanoseconds: 1_000_000_000_000) }

    let broker: Broker
    let connection: Connection
    private let time: Time
    private let server: Server
    private let channel: DeviceChannel
    private let far: UnixSocket
    /// The far ends of the sockets of further clients, which read nothing.
    private var others: [FarEnd] = []
    private var framer = MessageFramer(maximumBytes: 1 << 22)
    private var sequence: UInt64 = 0

    var now: BootTime { time.now }
    var connections: [Connection] { server.clients.all.sorted { $0.serial < $1.serial } }
    var isFull: Bool { connection.blockedSince != nil }

    init() throws {
        let time = Time()
        self.time = time
        server = try Server(clock: { time.now })
        broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: time.now)
        broker.allowEveryone(now: time.now)
        channel = try DeviceChannel()
        try broker.add(.accelerometer, .acceleration, channel, isSimulated: true)
        broker.add(Self.gyroscope, .angularVelocity, ofDeviceOf: .accelerometer)
        far = try Self.admit(to: server, broker)
        connection = try #require(server.clients.all.first)
        let profile = DeviceProfile(
            offered: .discrete([Self.period]), intervalNanoseconds: Self.period, description: nil, simulated: true)
        take([.opened, .profile(profile), .state(.active)])
    }

    /// A client connects; returns the far end of its socket.
    private static func admit(to server: Server, _ broker: Broker) throws -> UnixSocket {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0)
        server.clients.admit(UnixSocket(Descriptor(owning: numbers[0])), BrokerCalls(broker), now: server.clock())
        return UnixSocket(Descriptor(owning: numbers[1]))
    }

    /// A further client has a stream.
    func subscribeAnother(_ request: Request) throws {
        others.append(FarEnd(try Self.admit(to: server, broker)))
        let connection = try #require(connections.last)
        try broker.streams.subscribe(connection, [request], to: broker.sink, now: now)
        act()
    }

    /// So much time passes, in which the device yields nothing; returns how often the loop was awake for something due.
    func wait(nanoseconds: Int64) -> Int {
        let end = now + nanoseconds
        var turns = 0
        while let deadline = broker.deadline, deadline <= end {
            time.now = max(now, deadline)
            act()
            turns += 1
        }
        time.now = end
        return turns
    }

    private func take(_ events: [DeviceEvent]) {
        for event in events { channel.send(event) }
        broker.devices.takeEvents(of: broker.catalog.devices[0], to: broker.sink, now)
        act()
    }

    /// Does what is due.
    private func act() { if let deadline = broker.deadline, deadline <= now { broker.turnDidEnd(now: now) } }

    /// A sample of each of these kinds, one period after the one before.
    private func scan(_ kinds: [Kind]) -> [DeviceEvent] {
        time.now = time.now + Self.period
        defer { sequence += 1 }
        return kinds.map { kind in
            let measurement = Measurement.values(Values(kind, [Double(sequence), 0, 0, 0]))
            return .sample(Sample(sequence: sequence, timestamp: now, measurement: measurement))
        }
    }

    /// A period passes, and the device yields a sample of each of these kinds.
    func pass(_ kinds: [Kind] = [.acceleration, .angularVelocity]) { take(scan(kinds)) }

    /// A period passes, and the turn in which its samples come ends as the loop's do, whether or not something is due.
    func passInTurn() {
        pass()
        _ = broker.deadline
        broker.turnDidEnd(now: now)
    }

    /// As many periods pass in which the host holds the broker up; what the device yielded meanwhile comes at once.
    func passAtOnce(_ count: Int) {
        take((0..<count).flatMap { _ in scan([.acceleration, .angularVelocity]) })
    }

    /// A scan comes, and with it the states of a device that went and came back.
    func passAndReturn() {
        take(scan([.acceleration, .angularVelocity]) + [.state(.unavailable(reason: "gone")), .state(.active)])
    }

    /// As many samples are lost.
    func lose(_ count: Int) {
        let from = now + Self.period
        time.now = time.now + Int64(count) * Self.period
        sequence += UInt64(count)
        take([.gap(Gap(cause: .deviceOverflow, count: count, from: from, until: now))])
    }

    func subscribe(_ requests: [Request]) throws {
        try broker.streams.subscribe(connection, requests, to: broker.sink, now: now)
        act()
    }

    func modify(_ requests: [Request], remove names: [String] = []) throws {
        let stream = try #require(broker.streams[connection.token])
        try broker.streams.changes.modify(stream, requests, remove: names, to: broker.sink, now: now)
        act()
    }

    /// What the client's requests have delivered and lost, those that it has no longer.
    var former: (delivered: Int, lost: Int)? {
        broker.streams[connection.token].map { ($0.formerlyDelivered, $0.formerlyLost) }
    }

    /// The client reads all that is there, and what follows because its socket has room again.
    func read() throws -> [Parameters] {
        var replies: [Parameters] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case .received(let count) = far.receive(into: &buffer) {
            framer.append(contentsOf: buffer[..<count])
            while let message = try framer.next() {
                guard case .success(let parameters, _) = try Reply(parsing: message) else { continue }
                replies.append(parameters)
            }
            guard isFull, connection.flush(now: now) else { continue }
            connection.handler.didDrain(connection, now: now)
            connection.didCatchUp()
            act()
        }
        return replies
    }
}
