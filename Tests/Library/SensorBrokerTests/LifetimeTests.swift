import Platform
import SensorBrokerSimulation
import Testing

@testable import SensorBroker

/// What goes when nobody holds it any more.
@Suite(.timeLimit(.minutes(30))) struct LifetimeTests {
    private func untilGone(_ isGone: () -> Bool) async throws {
        while !isGone() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("a session ends, with thread and connections, when the broker and all managers are gone")
    func session() async throws {
        var broker: Broker? = Broker(.mock)
        var accelerometer = broker.map { Accelerometer(broker: $0) }
        weak let core = broker?.session.core
        broker = nil
        // The manager keeps what it needs.
        if let accelerometer { for try await _ in accelerometer.readings { break } }
        #expect(core != nil)
        accelerometer = nil
        try await untilGone { core == nil }
    }

    @Test("an iteration outlives its manager and its broker, and keeps the session alive")
    func iteration() async throws {
        var iterator: SensorReadings<Acceleration>.Iterator? = Accelerometer(
            broker: Broker(.mock), updateInterval: .milliseconds(10)
        ).readings.makeAsyncIterator()
        for _ in 0..<5 { #expect(try await iterator?.next() != nil) }
        weak let mailbox = iterator?.events.source.mailbox
        iterator = nil
        try await untilGone { mailbox == nil }
    }

    @Test("requests and iterations that wait when the session ends are released")
    func waiting() async throws {
        let broker = Broker(.mock)
        let request = SensorRequest(.location)
        let session = Session(Broker.Configuration(.mock))
        let mailbox = Mailbox(EventBuffer<Location>(capacity: 8))
        _ = session.listen(to: request, MailboxSink(mailbox) { _ in true })
        session.core.finish(.cancelled)
        await #expect(throws: SensorError.cancelled) { while try await mailbox.next() != nil {} }
        withExtendedLifetime(broker) {}
    }

    @Test("in a fork of its process, a session answers everything with an error, and waits for nothing")
    func forked() async throws {
        let session = Session(Broker.Configuration(.mock), process: 1)
        let broker = Broker(session)
        let location = LocationManager(broker: broker)
        #expect(broker.location == nil && location.latest == nil && broker.release(.all) == 0)
        location.startUpdates()
        location.updateInterval = .seconds(1)
        #expect(location.error == .forked && broker.usage.listeners == 0)
        guard case .stale = location.state else {
            Issue.record("\(String(describing: location.state))")
            return
        }
        await #expect(throws: SensorError.forked) { try await location.requestLocation() }
        await #expect(throws: SensorError.forked) { try await broker.resources() }
        await #expect(throws: SensorError.forked) { for try await _ in location.events {} }
        let provider = broker.provide(Temperature.self)
        provider.send(Temperature(20))
        #expect(provider.error == .forked)
        await #expect(throws: SensorError.forked) { for try await _ in provider.demands {} }
        var events: [LifecycleEvent] = []
        for await event in broker.lifecycle { events.append(event) }
        #expect(events == [.disconnected(.forked)])
        #expect(session.core.state.withLock { !$0.isRunning && $0.hub.audience.channels.isEmpty })
    }

    @Test("copies of an iterator in two tasks share the events, and neither ends before the stream does")
    func copies() async throws {
        let iterator = Accelerometer(broker: Broker(.mock), updateInterval: .milliseconds(5))
            .readings.makeAsyncIterator()
        let tasks = (0..<2).map { _ in
            Task {
                var (iterator, count) = (iterator, 0)
                while count < 20, try await iterator.next() != nil { count += 1 }
                return count
            }
        }
        for task in tasks { #expect(try await task.value == 20) }
    }

    @Test("an iteration ends with its error once, and then for good")
    func errorOnce() async throws {
        var iterator = SensorEvents<Location>([.state(.active)], endingIn: .timedOut).makeAsyncIterator()
        var copy = iterator
        #expect(try await iterator.next() == .state(.active))
        await #expect(throws: SensorError.timedOut) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        await #expect(throws: SensorError.timedOut) { try await copy.next() }
        #expect(try await copy.next() == nil)
    }

    @Test("many tasks begin, change and end at once, and nothing remains")
    func storm() async throws {
        let broker = Broker(.mock)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(5 + index % 3))
                    let task = Task {
                        var count = 0
                        for try await _ in accelerometer.readings {
                            count += 1
                            accelerometer.updateInterval = .milliseconds(5 + (count + index) % 4)
                            if count == 20 { break }
                        }
                    }
                    if index % 4 == 0 { task.cancel() }
                    _ = try? await task.value
                    _ = try? await accelerometer.requestReading()
                }
            }
        }
        try await untilGone { broker.usage.listeners == 0 && broker.usage.managers == 0 }
        broker.release(.all)
        #expect(broker.usage.subscriptions == 0)
    }
}
