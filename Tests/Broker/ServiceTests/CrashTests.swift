import Configuration
import Delivery
import Devices
import Foundation
import Platform
import Readings
import Testing

@testable import Service

@Suite("After a crash", .timeLimit(.minutes(30))) struct CrashTests {
    private static let millisecond: Int64 = 1_000_000
    private static let intervals: [Int64] = [50, 70, 200, 200, 300]

    /// A process: a broker whose device is the test.
    private final class Process {
        let broker: Broker
        let ledger: Ledger
        /// What it has stored, the latest last.
        private(set) var texts: [[UInt8]] = []
        /// How many clients it would have left if it had died as soon as the latest was in the store.
        private(set) var leftAtOnce: Int?
        /// Whether its checkpoints get into the store.
        var isReceived = true
        private let server: Server
        private let channel: DeviceChannel

        init(now: BootTime) throws {
            server = try Server()
            ledger = try Ledger(count: LedgerLayout.count, name: "test")
            server.clients.observer.begin(in: ledger)
            broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
            broker.allowEveryone(now: now)
            channel = try DeviceChannel()
            try broker.add(.accelerometer, .acceleration, channel, isSimulated: true)
        }

        func takeOver(_ text: [UInt8], ledger: [Int64]? = nil, _ sockets: [Int32], now: BootTime) {
            broker.takeOver(
                [text], ledger: ledger, sockets, calls: BrokerCalls(broker),
                administration: AdminCalls(broker) { _ in }, now: now)
            broker.begin(
                CheckpointStore(capacity: 64) { [unowned self] _, text, _ in
                    if isReceived { texts.append(text) }
                    leftAtOnce = isReceived ? left(by: text) : nil
                    return isReceived
                }, now: now)
        }

        func take(_ events: [DeviceEvent], now: BootTime) {
            for event in events { channel.send(event) }
            broker.devices.takeEvents(of: broker.catalog.devices[0], to: broker.sink, now)
        }

        /// Does what is due without an event of the device.
        func wait(until now: BootTime) {
            if let deadline = broker.deadline, now >= deadline { broker.turnDidEnd(now: now) }
        }

        /// What it leaves if it dies now.
        func remains() throws -> (text: [UInt8], ledger: [Int64]) {
            (try #require(texts.last), try #require(Ledger.read(ledger.number, count: LedgerLayout.count)))
        }

        /// How many clients move to the next process if it dies now with this checkpoint.
        func left(by text: [UInt8]?) -> Int? {
            let words = Ledger.read(ledger.number, count: LedgerLayout.count)
            return text.flatMap { try? Handover(latestOf: [$0], words).connections.count }
        }
    }

    /// A device whose samples are a period apart, and late if a busy host stalls its thread.
    private struct Device {
        private(set) var next: BootTime
        private var period: Int64
        private var sequence: UInt64 = 0
        private var unheard: [DeviceEvent] = []
        private var stalledUntil: BootTime?

        init(from start: BootTime, periodMilliseconds: Int64) {
            next = start
            period = periodMilliseconds * millisecond
            unheard = [.opened, profile, .state(.active)]
        }

        private var profile: DeviceEvent {
            .profile(
                DeviceProfile(
                    offered: .discrete([5, 10, 20].map { $0 * millisecond }), intervalNanoseconds: period,
                    description: nil, simulated: true))
        }

        mutating func stall(until instant: BootTime) { stalledUntil = instant }

        /// Runs with another period from the next sample on.
        mutating func change(toMilliseconds milliseconds: Int64, now: BootTime) {
            measure(until: now)
            next = next + -period + milliseconds * millisecond
            period = milliseconds * millisecond
            unheard.append(profile)
        }

        private mutating func measure(until now: BootTime) {
            while next <= now {
                let measurement = Measurement.values(Acceleration(x: 0, y: 0, z: 9.81))
                unheard.append(.sample(Sample(sequence: sequence, timestamp: next, measurement: measurement)))
                sequence += 1
                next = next + period
            }
        }

        /// Its pending events.
        mutating func events(now: BootTime) -> [DeviceEvent] {
            measure(until: now)
            if let stalledUntil, now < stalledUntil { return [] }
            defer { unheard = [] }
            return unheard
        }
    }

    /// Runs a process and its device side by side; a generator decides the events.
    private func run(
        _ process: Process, _ device: inout Device, _ clients: [PairedClient], _ range: Range<Int64>,
        isCalm: Bool = false, _ random: inout SplitMix64
    ) {
        for time in stride(from: range.lowerBound, to: range.upperBound, by: 5) {
            let now = BootTime(nanoseconds: time * Self.millisecond)
            if !isCalm {
                if Int.random(in: 0..<40, using: &random) == 0 {
                    device.stall(until: now + Int64.random(in: 10..<300, using: &random) * Self.millisecond)
                }
                if Int.random(in: 0..<40, using: &random) == 0 {
                    device.change(toMilliseconds: [5, 10, 20].randomElement(using: &random) ?? 5, now: now)
                }
            }
            let events = device.events(now: now)
            if !events.isEmpty { process.take(events, now: now) }
            process.wait(until: now)
            for client in clients { client.listen() }
        }
    }

    private func handover(of clients: [PairedClient]) -> Handover {
        var handover = Handover()
        handover.resources = [HandedResource(name: .accelerometer, kind: .acceleration)]
        handover.connections = zip(clients, Self.intervals).enumerated().map { index, client in
            var connection = HandedConnection(
                cookie: client.0.cookie, door: .clients, serial: index + 1, slot: LedgerSlot(index),
                connectedSince: BootTime(nanoseconds: 1))
            var request = Request(resource: .accelerometer)
            request.intervalNanoseconds = client.1 * Self.millisecond
            let part = HandedPart(
                request, intervalNanoseconds: client.1 * Self.millisecond, batchNanoseconds: 0,
                ClientAccount(since: BootTime(nanoseconds: 1)))
            connection.task = .stream(HandedStream(id: StreamID(), revision: 1, parts: [part]))
            return connection
        }
        return handover
    }

    @Test("each due time is delivered once or reported once, however busy the host", arguments: 0..<20 as Range<UInt64>)
    func eachDueTimeOnce(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let clients = try Self.intervals.map { _ in try PairedClient() }
        let kept = clients.map { dup($0.near) }
        let start = BootTime(nanoseconds: 10_000 * Self.millisecond)
        let former = try Process(now: start)
        former.takeOver(handover(of: clients).text, clients.map(\.near), now: start)
        var device = Device(from: start, periodMilliseconds: 10)
        let crash = Int64.random(in: 11_200..<11_600, using: &random)
        run(former, &device, clients, 10_000..<crash, &random)
        let remains = try former.remains()

        let begin = crash + Int64.random(in: 20..<700, using: &random)
        let successor = try Process(now: BootTime(nanoseconds: begin * Self.millisecond))
        successor.takeOver(
            remains.text, ledger: remains.ledger, kept, now: BootTime(nanoseconds: begin * Self.millisecond))
        #expect(successor.broker.streams.all.count == clients.count)
        device = Device(
            from: BootTime(
                nanoseconds: begin * Self.millisecond + Int64.random(in: 0..<Self.millisecond, using: &random)),
            periodMilliseconds: [5, 10, 20].randomElement(using: &random) ?? 5)
        run(successor, &device, clients, begin..<begin + 500, &random)
        run(successor, &device, clients, begin + 500..<begin + 1_500, isCalm: true, &random)
        for (client, interval) in zip(clients, Self.intervals) {
            let account = try Account(client.transcript)
            let last = try #require(account.stamps.last)
            // The grid begins with the first sample; the last reading is the one nearest to its due time.
            let due = Int((Double(last - start.nanoseconds) / Double(interval * Self.millisecond)).rounded()) + 1
            let lost = account.gaps.reduce(0) { $0 + ($1.count ?? -1_000) }
            #expect(
                account.stamps.count + lost == due,
                "\(interval) ms, crash at \(crash): \(account.stamps.map { $0 / Self.millisecond }), \(account.gaps)")
        }
        withExtendedLifetime(former) {}
    }

    @Test(
        "a stored state applies as soon as it is in the store, and the previous one to unchanged clients")
    func inTheStore() throws {
        let clients = try Self.intervals.map { _ in try PairedClient() }
        let second: Int64 = 2_000 * Self.millisecond
        var now = BootTime(nanoseconds: 10_000 * Self.millisecond)
        let process = try Process(now: now)
        process.takeOver(handover(of: clients).text, clients.map(\.near), now: now)
        now = now + second
        process.wait(until: now)
        #expect(process.leftAtOnce == clients.count)

        let changed = process.broker.streams.all.prefix(2).map(\.connection)
        for connection in changed { process.broker.context.checkpoint.renew(connection, now: now) }
        #expect(process.left(by: process.texts.last) == clients.count - 2)
        // The service manager does not receive it at first.
        process.isReceived = false
        now = now + second
        process.wait(until: now)
        #expect(process.texts.count == 1 && process.left(by: process.texts.last) == clients.count - 2)
        process.isReceived = true
        now = now + second
        process.wait(until: now)
        #expect(process.texts.count == 2 && process.leftAtOnce == clients.count)
        #expect(process.left(by: process.texts.last) == clients.count)
        #expect(process.left(by: process.texts.first) == clients.count - 2)
    }

    /// The messages that a client was sent.
    private struct Account {
        var stamps: [Int64] = []
        var gaps: [(count: Int?, from: Int64, until: Int64)] = []

        init(_ text: String) throws {
            for message in text.split(separator: "\0") {
                let object = try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any]
                let parameters = object?["parameters"] as? [String: Any]
                for reading in parameters?["readings"] as? [[String: Any]] ?? [] {
                    let values = try #require(reading["values"] as? [String: Any])
                    let columns = try #require(values["columns"] as? [String: Any])
                    let first = try #require(reading["timestampNanoseconds"] as? Int64)
                    let count = try #require(columns["x"] as? [Any]).count
                    let period = values["periodNanoseconds"] as? Int64 ?? 0
                    stamps +=
                        values["timestampsNanoseconds"] as? [Int64] ?? (0..<Int64(count)).map { first + $0 * period }
                }
                for gap in parameters?["gaps"] as? [[String: Any]] ?? [] {
                    gaps.append(
                        (
                            gap["count"] as? Int, gap["fromNanoseconds"] as? Int64 ?? 0,
                            gap["untilNanoseconds"] as? Int64 ?? 0
                        ))
                }
            }
        }
    }
}
