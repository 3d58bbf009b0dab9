import BrokerClient
@testable import SensorBroker
import SensorBrokerSimulation
import Testing

/// Changes of a manager's request, by whoever makes them.
@Suite(.timeLimit(.minutes(30))) struct RequestTests {
    private let broker = Broker(.mock)

    /// Sets a field often, each time to another value; returns how often it did not stay.
    private func set(_ set: (Int) -> Void, _ get: () -> Int?) -> Int {
        (1...20_000).count { round in
            set(round)
            return get() != round
        }
    }

    @Test("no change of one field undoes a change of another")
    func lostUpdates() async {
        let location = LocationManager(broker: broker)
        let undone = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                set({ location.distanceFilter = Double($0) }, { location.distanceFilter.map { Int($0) } })
            }
            group.addTask {
                set(
                    { location.updateInterval = .seconds($0) },
                    { location.updateInterval.map { Int($0.components.seconds) } })
            }
            group.addTask {
                set({ location.desiredAccuracy = Double($0) }, { location.desiredAccuracy.map { Int($0) } })
            }
            group.addTask {
                set(
                    { round in location.mutateRequest { $0.batch = .seconds(round) } },
                    { location.request.batch.map { Int($0.components.seconds) } })
            }
            return await group.reduce(0, +)
        }
        #expect(undone == 0)
    }

    @Test("a change that depends on the former value is not lost among others")
    func increments() async {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .zero)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 { accelerometer.mutateRequest { $0.interval? += .nanoseconds(1) } }
                }
            }
        }
        #expect(accelerometer.updateInterval == .nanoseconds(8_000))
    }

    @Test("an interval above zero is not zero on the wire, where that is every sample")
    func attoseconds() {
        var request = SensorRequest(.accelerometer)
        request.interval = Duration(secondsComponent: 0, attosecondsComponent: 1)
        #expect(request.wire.intervalNanoseconds == 1)
        request.interval = .zero
        #expect(request.wire.intervalNanoseconds == 0)
        request.interval = .nanoseconds(20)
        #expect(request.wire.intervalNanoseconds == 20)
    }

    @Test("a change after a value that equals nothing is made as well")
    func notANumber() {
        let location = LocationManager(broker: broker)
        location.distanceFilter = .nan
        location.distanceFilter = 5
        #expect(location.distanceFilter == 5)
    }

    @Test("a change may read the manager that it changes")
    func reentrant() {
        let location = LocationManager(broker: broker, updateInterval: .seconds(2))
        location.mutateRequest { $0.batch = location.updateInterval }
        #expect(location.request.batch == .seconds(2))
    }

    @Test("an invalid interval in a running stream is refused, and the stream continues")
    func refused() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        var iterator = accelerometer.events.makeAsyncIterator()
        while let event = try await iterator.next() { if case .reading = event { break } }
        accelerometer.updateInterval = .milliseconds(-1)
        var reason: SensorError?
        while let event = try await iterator.next() {
            if case .refused(let error) = event { reason = error }
            if case .reading = event, reason != nil { break }
        }
        #expect(reason?.description.contains("negative") == true)
        accelerometer.updateInterval = .milliseconds(50)
        while let event = try await iterator.next() {
            if case .grant(let grant) = event, grant.interval == .milliseconds(50) { break }
        }
        #expect(try await iterator.next() != nil)
    }

    @Test("an impossible accuracy in a running stream is refused, and the one before it stays")
    func impossibleAccuracy() async throws {
        let location = LocationManager(broker: broker, updateInterval: .milliseconds(10))
        var iterator = location.events.makeAsyncIterator()
        location.desiredAccuracy = -1
        var isRefused = false
        while let event = try await iterator.next() {
            if case .refused(.invalidRequest) = event { isRefused = true }
            if case .reading = event, isRefused { break }
        }
        #expect(location.desiredAccuracy == -1)
        await #expect(throws: SensorError.self) { for try await _ in location.readings {} }
    }

    @Test("updates that were started with an invalid interval begin with the next valid one")
    func startedInvalid() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(-1))
        accelerometer.startUpdates()
        guard case .invalidRequest = accelerometer.error else {
            Issue.record("\(String(describing: accelerometer.error))")
            return
        }
        accelerometer.updateInterval = .milliseconds(10)
        #expect(accelerometer.error == nil && broker.usage.listeners == 1)
        while accelerometer.latest == nil { try await Task.sleep(for: .milliseconds(1)) }
        accelerometer.stopUpdates()
        #expect(broker.usage.listeners == 0 && broker.usage.unusedSubscriptions == 1)
    }

    @Test("updates of a missing resource report that, and can be started again")
    func missing() async throws {
        let name = try #require(ResourceName("accelerometer:9"))
        let accelerometer = Accelerometer(broker: broker, resource: name)
        accelerometer.startUpdates()
        while accelerometer.error == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(accelerometer.error == .noSuchResource(name))
        accelerometer.mutateRequest { $0.resource = .accelerometer }
        while accelerometer.latest == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(accelerometer.error == nil)
    }

    @Test("after a release in use, updates start again when they are asked for, and not before")
    func released() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        accelerometer.startUpdates()
        while accelerometer.latest == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.release(.all, evenInUse: true) == 1)
        #expect(accelerometer.error == .cancelled)
        accelerometer.updateInterval = .milliseconds(20)
        #expect(broker.usage.listeners == 0 && broker.usage.subscriptions == 0)
        let former = try #require(accelerometer.latest)
        accelerometer.startUpdates()
        while accelerometer.latest == former { try await Task.sleep(for: .milliseconds(1)) }
        #expect(accelerometer.error == nil && broker.usage.listeners == 1)
    }
}
