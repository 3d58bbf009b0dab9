import BrokerClient
import Foundation
import Locking
import Platform
import SensorBrokerSimulation
import Testing
import Varlink

@testable import SensorBroker

/// A program with as many different requests for one resource as it has managers.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ManyIntervalsTests {
    /// What one manager has got.
    private struct Account {
        let interval: Int64
        /// The longest period of the device.
        var period: Int64 = 0
        var stamps: [Int64] = []
        var gaps: [SensorBroker.Gap] = []

        /// How far its readings are from the exact mean rate, over those that follow each other without a gap.
        var error: Int64 {
            guard let first = stamps.first, let last = stamps.last, gaps.isEmpty else { return 0 }
            return abs(last - first - Int64(stamps.count - 1) * interval)
        }
    }

    /// The readings of managers with intervals of 100 ms, 101 ms, 102 ms and so on, until each has some.
    private func accounts(_ count: Int, of broker: Broker, readings: Int) async throws -> [Account] {
        try await withThrowingTaskGroup(of: Account.self) { group in
            for number in 0..<count {
                let interval = Int64(100 + number) * 1_000_000
                let manager = Accelerometer(broker: broker, updateInterval: .nanoseconds(interval))
                group.addTask {
                    var account = Account(interval: interval)
                    var hasBegun = false
                    for try await event in manager.events {
                        switch event {
                        // The first reading comes at once, whenever it is due, and the next few while devices and requests change.
                        case .reading where !hasBegun: hasBegun = broker.usage.connections == 1 && account.gaps.isEmpty
                        case .reading(let reading): account.stamps.append(reading.timestamp.nanoseconds)
                        case .grant(let grant):
                            account.period = max(account.period, grant.deviceInterval?.clampedNanoseconds ?? 0)
                        case .gap(let gap): if hasBegun { account.gaps.append(gap) }
                        default: break
                        }
                        if account.stamps.count == readings { break }
                    }
                    withExtendedLifetime(manager) {}
                    return account
                }
            }
            var all: [Account] = []
            for try await account in group { all.append(account) }
            return all
        }
    }

    /// A sample of the source, and how late it came.
    private struct Arrival {
        let stamp: Int64
        let age: Int64
    }

    /// Steps in milliseconds, which say more than stamps do.
    private static func steps(_ stamps: [Int64]) -> [Int64] {
        zip(stamps, stamps.dropFirst()).map { ($1 - $0) / 1_000_000 }
    }

    /// The accounts of managers that lost nothing, and what the source delivered meanwhile; measures again if all lost something,
    /// as on a busy host.
    private func undisturbed(
        _ count: Int, of broker: Broker, readings: Int
    ) async throws -> (accounts: [Account], source: [Arrival]) {
        while true {
            let every = Accelerometer(broker: broker, updateInterval: .zero)
            let end = Locked(Int64.max)
            let source = Task {
                var arrivals: [Arrival] = []
                for try await reading in every.readings {
                    arrivals.append(Arrival(stamp: reading.timestamp.nanoseconds, age: reading.age.clampedNanoseconds))
                    if reading.timestamp.nanoseconds > end.withLock({ $0 }) { break }
                }
                return arrivals
            }
            let all = try await accounts(count, of: broker, readings: readings)
            // The source's task may be behind: it has to come past all that it judges, or a late source would seem to be on time;
            // a reading is early because of a sample that was still to come.
            end.withLock { end in end = all.compactMap(\.stamps.last).max() ?? 0 }
            let arrivals = try await source.value
            #expect(all.count == count && Set(all.map(\.interval)).count == count)
            let judged = all.filter(\.gaps.isEmpty)
            if !judged.isEmpty { return (judged, arrivals) }
        }
    }

    /// Each reading is no further from its place than half a period of the device, before or after it; further only by as much as
    /// the source was late, since a busy host may hold it up, or as it left out.
    private func judge(_ judged: (accounts: [Account], source: [Arrival])) {
        #expect(!judged.source.isEmpty)
        for account in judged.accounts where !judged.source.isEmpty {
            guard let first = account.stamps.first, let last = account.stamps.last else { continue }
            // From the last arrival before the account to the first one after it: what the source left out at its ends counts, too.
            let begin = judged.source.lastIndex { $0.stamp <= first - account.interval } ?? 0
            let end = judged.source.firstIndex { $0.stamp > last } ?? judged.source.count - 1
            let arrivals = judged.source[begin...max(begin, end)]
            let late = arrivals.map(\.age).max() ?? 0
            let steps = zip(arrivals, arrivals.dropFirst()).map { $1.stamp - $0.stamp }
            let step = max(account.period, steps.max() ?? 0)
            // One that is sent in a silence (`Pace.stallNanoseconds`) is a whole step before the first that is late.
            let tolerance = step + late + (late < 50_000_000 ? 0 : step / 2)
            #expect(account.stamps == account.stamps.sorted(), "\(account.interval)")
            let source =
                "steps of \(Self.steps(arrivals.map(\.stamp))) ms, late by \(arrivals.map { $0.age / 1_000_000 }) ms"
            #expect(
                account.error <= tolerance,
                "\(account.interval / 1_000_000) ms: steps of \(Self.steps(account.stamps)) ms; the source: \(source)")
        }
    }

    @Test("a thousand managers of a thousand intervals share one connection, and each is exact: in the process")
    func inProcess() async throws {
        let broker = Broker(.mock)
        judge(try await undisturbed(1_000, of: broker, readings: 4))
    }

    @Test("the same with a daemon, whose other clients are served")
    func daemon() async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let other = Broker(socket: daemon.socket)
        async let judged = undisturbed(1_000, of: broker, readings: 4)
        var beside = Accelerometer(broker: other, updateInterval: .milliseconds(50)).readings.makeAsyncIterator()
        for _ in 0..<20 { #expect(try await beside.next() != nil) }
        judge(try await judged)
    }

    @Test("each of several requests continues after a stop and after a crash of the daemon", arguments: [true, false])
    func restart(inOrder: Bool) async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let intervals = [20, 30, 50, 70, 110]
        let managers = intervals.map { Accelerometer(broker: broker, updateInterval: .milliseconds($0)) }
        let streams = managers.map { $0.events.makeAsyncIterator() }
        for var stream in streams { _ = try await reading(&stream) }
        if inOrder { daemon.stop() } else { daemon.kill() }
        try daemon.start()
        for var stream in streams {
            var gaps: [SensorBroker.Gap] = []
            while gaps.isEmpty { gaps += try await reading(&stream) }
            #expect(gaps.allSatisfy { $0.resource == .accelerometer })
            _ = try await reading(&stream)
        }
        while broker.usage.connections > 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.usage.subscriptions == intervals.count)
        withExtendedLifetime(managers) {}
    }

    /// Goes on to the next reading; returns the gaps before it.
    private func reading(_ events: inout SensorEvents<Acceleration>.Iterator) async throws -> [SensorBroker.Gap] {
        var gaps: [SensorBroker.Gap] = []
        while let event = try await events.next() {
            switch event {
            case .reading: return gaps
            case .gap(let gap): gaps.append(gap)
            default: break
            }
        }
        throw SensorError.cancelled
    }
}
