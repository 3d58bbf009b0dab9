import BrokerClient
import Foundation
import Platform
import Testing
import Varlink

@testable import SensorBroker

/// The library against the daemon as a process.
@Suite(.timeLimit(.minutes(30))) struct DaemonTests {
    /// What the daemon's administrator sees of the clients.
    private func clients(of daemon: DaemonProcess) throws -> [Parameters] {
        var connection = try BrokerConnection(path: daemon.admin, patienceNanoseconds: 300_000_000_000)
        try connection.send(Call(Interface.getStatus))
        let reply = try connection.reply(until: Clock.bootNanoseconds() + 300_000_000_000)
        guard case .success(let status, _) = reply else { throw ConnectionFault.closed }
        // The one who asks is no client of the broker's.
        return try status.objects("clients").filter { try !$0.objects("resources").isEmpty }
    }

    @Test("a thousand listening managers are one connection and one subscription per resource to the daemon")
    func thousand() async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let accelerometers = (0..<500).map { _ in Accelerometer(broker: broker, updateInterval: .milliseconds(50)) }
        let locations = (0..<500).map { _ in LocationManager(broker: broker) }
        let accelerations = accelerometers.map { $0.readings.makeAsyncIterator() }
        let fixes = locations.map { $0.readings.makeAsyncIterator() }
        for var iterator in accelerations { #expect(try await iterator.next() != nil) }
        for var iterator in fixes { #expect(try await iterator.next() != nil) }
        while broker.usage.connections > 1 { try await Task.sleep(for: .milliseconds(1)) }
        let usage = broker.usage
        #expect(
            usage
                == BrokerUsage(
                    connections: 1, subscriptions: 2, unusedSubscriptions: 0, managers: 1000, listeners: 1000))
        let clients = try clients(of: daemon)
        #expect(clients.count == 1)
        let resources = try clients.first?.objects("resources").map { try $0.string("resource") }
        #expect(resources?.sorted() == ["accelerometer", "location"])
        withExtendedLifetime((accelerometers, locations, accelerations, fixes)) {}
    }

    @Test("a thousand managers open one connection and no subscription")
    func idle() async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let managers = (0..<1000).map { _ in LocationManager(broker: broker) }
        while managers[0].state == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(
            broker.usage
                == BrokerUsage(
                    connections: 1, subscriptions: 0, unusedSubscriptions: 0, managers: 1000, listeners: 0))
        #expect(managers[0].state == .idle)
    }

    @Test("a restart of the daemon is a gap, after a proper stop and after a crash", arguments: [true, false])
    func restart(inOrder: Bool) async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        var lifecycle = broker.lifecycle.makeAsyncIterator()
        var events = Accelerometer(broker: broker, updateInterval: .milliseconds(10)).events.makeAsyncIterator()
        let before = try await nextReading(&events).reading
        if inOrder { daemon.stop() } else { daemon.kill() }
        while let event = try await events.next() { if case .disconnected = event { break } }
        if !inOrder {
            await #expect(throws: SensorError.brokerStopped(path: daemon.socket)) {
                try await Accelerometer(broker: broker).requestReading()
            }
        }
        try daemon.start()
        // On a busy machine this task may be slow as well: then readings are left out on both sides.
        let (after, gaps) = try await nextReading(&events)
        let gap = gaps.first { $0.cause == .disconnected }
        #expect(gap.map { $0.from >= before.timestamp && $0.until <= after.timestamp } == true, "\(gaps)")
        var seen: [LifecycleEvent] = []
        while !seen.contains(.subscriptionRenewed(SensorRequest.every10)), let event = await lifecycle.next() {
            seen.append(event)
        }
        #expect(seen.contains(.brokerShutDown) == inOrder)
        // On a busy host many states may have come meanwhile, and pushed out the first events.
        let hasMissed = seen.contains { if case .missed = $0 { true } else { false } }
        #expect(hasMissed || seen.filter { $0 == .connected }.count == 2, "\(seen)")
        #expect(seen.contains { if case .reconnecting = $0 { true } else { false } })
    }

    /// Whose unused subscriptions last for as long as a test.
    private static func keeping(_ daemon: DaemonProcess) -> Broker {
        var configuration = Broker.Configuration(.daemon(socket: daemon.socket))
        configuration.grace = .seconds(3_600)
        return Broker(configuration)
    }

    @Test("through several restarts, every listener continues and every hole has a gap")
    func storm() async throws {
        let daemon = try DaemonProcess()
        let broker = Self.keeping(daemon)
        let restarts = 4
        // The holes that were reported to each listener, as of its newest reading.
        let progress = Progress(listeners: 12)
        let listeners = (0..<progress.count).map { index in
            Task {
                var (gaps, last) = (0, BootTime?.none)
                let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10 + index % 2))
                for try await event in accelerometer.events {
                    switch event {
                    case .gap(let gap) where gap.cause == .disconnected:
                        if let last { #expect(gap.from == last) }
                        gaps += 1
                    // It, or its program, was too slow, as on a busy host: what is missing before the next reading is told already.
                    case .gap: last = nil
                    case .reading(let reading):
                        if let last { #expect(reading.timestamp > last) }
                        last = reading.timestamp
                        progress.note(gaps, of: index)
                        if gaps == restarts { return gaps }
                    default: break
                    }
                }
                return gaps
            }
        }
        for round in 0..<restarts {
            while !progress.isEverybody(at: round) { try await Task.sleep(for: .milliseconds(1)) }
            if round % 2 == 0 { daemon.kill() } else { daemon.stop() }
            try daemon.start()
        }
        for listener in listeners { #expect(try await listener.value == restarts) }
        #expect(broker.usage.subscriptions == 2)
    }

    @Test("a missing daemon is reported, and found when it starts")
    func missing() async throws {
        let daemon = try DaemonProcess(isStarted: false)
        let broker = Broker(socket: daemon.socket)
        let location = LocationManager(broker: broker)
        await #expect(throws: SensorError.brokerMissing(paths: [daemon.socket])) {
            try await location.requestLocation()
        }
        await #expect(throws: SensorError.brokerMissing(paths: [daemon.socket])) { try await broker.resources() }
        var events = location.events.makeAsyncIterator()
        #expect(try await events.next() == .disconnected(.brokerMissing(paths: [daemon.socket])))
        try daemon.start()
        _ = try await nextReading(&events)
        #expect(try await location.requestLocation(timeout: .patience).value.latitudeDegrees != nil)
    }

    @Test("the newest reading and an unused subscription outlive the managers and a restart")
    func cache() async throws {
        let daemon = try DaemonProcess()
        let broker = Self.keeping(daemon)
        for try await _ in Accelerometer(broker: broker).readings { break }
        #expect(broker.usage.unusedSubscriptions == 1)
        #expect(broker.release(.all) == 1)
        let kept = broker.accelerationReading
        #expect(kept != nil)
        daemon.kill()
        try daemon.start()
        var lifecycle = broker.lifecycle.makeAsyncIterator()
        while let event = await lifecycle.next() { if event == .connected { break } }
        #expect(broker.accelerationReading == kept)
    }

    @Test(
        "a daemon that was killed or stopped is seen in the state, with and without an iteration",
        arguments: [true, false])
    func stale(isKilled: Bool) async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(20))
        func until(_ isTrue: (ResourceState?) -> Bool) async throws {
            while !isTrue(accelerometer.state) { try await Task.sleep(for: .milliseconds(1)) }
        }
        func isStale(_ state: ResourceState?) -> Bool { if case .stale = state { true } else { false } }
        accelerometer.startUpdates()
        try await until { $0 == .active }
        var events = accelerometer.events.makeAsyncIterator()
        _ = try await nextReading(&events)
        if isKilled { daemon.kill() } else { daemon.pause(true) }
        try await until(isStale)
        while let event = try await events.next() {
            if case .disconnected = event { break }
            if case .state(let state) = event, isStale(state) { break }
        }
        #expect(accelerometer.latest != nil)
        accelerometer.maximumAge = .zero
        #expect(accelerometer.latest == nil)
        if isKilled { try daemon.start() } else { daemon.pause(false) }
        try await until { $0 == .active }
    }

    @Test("requests of two intervals for one resource are one stream to the daemon")
    func twoIntervals() async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        var fast = Accelerometer(broker: broker, updateInterval: .milliseconds(10)).readings.makeAsyncIterator()
        var slow = Accelerometer(broker: broker, updateInterval: .milliseconds(70)).readings.makeAsyncIterator()
        var stamps: [BootTime] = []
        // Behind the first. A busy host holds the source up now and then: a reading comes before its place, or is left out.
        func isExact() -> Bool {
            guard stamps.count > 7, let first = stamps.suffix(7).first, let last = stamps.last else { return false }
            return abs((last - first) - 6 * 70_000_000) <= 10_000_000
        }
        while !isExact() {
            _ = try await fast.next()
            if let reading = try await slow.next() { stamps.append(reading.timestamp) }
        }
        #expect(try clients(of: daemon).map { try $0.objects("resources").count } == [2])
    }

    private func nextReading<Value: Sendable>(
        _ events: inout SensorEvents<Value>.Iterator
    ) async throws -> (reading: SensorBroker.Reading<Value>, gaps: [SensorBroker.Gap]) {
        var gaps: [SensorBroker.Gap] = []
        while let event = try await events.next() {
            switch event {
            case .reading(let reading): return (reading, gaps)
            case .gap(let gap): gaps.append(gap)
            default: break
            }
        }
        throw SensorError.cancelled
    }
}

/// How far each of some listeners is.
private final class Progress: Sendable {
    let count: Int
    private let holes: Locked<[Int]>

    init(listeners: Int) {
        count = listeners
        holes = Locked([Int](repeating: -1, count: listeners))
    }

    func note(_ number: Int, of listener: Int) { holes.withLock { $0[listener] = number } }

    func isEverybody(at number: Int) -> Bool { holes.withLock { $0.allSatisfy { $0 == number } } }
}

extension SensorRequest {
    fileprivate static var every10: Self {
        var request = SensorRequest(.accelerometer)
        request.interval = .milliseconds(10)
        return request
    }
}
