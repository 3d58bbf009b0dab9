import Locking
import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTestTraits
import Testing

/// Managers that were made in one test, or in none, and are used in another one.
@Suite(.timeLimit(.minutes(30))) struct FollowingTests {
    /// A shared type with managers of its own, as pages describe it: it is made once, by whoever reads it first.
    private final class Tracker: SharedInstance, Sendable {
        static let shared = Tracker()
        let accelerometer = Accelerometer(updateInterval: .milliseconds(10))
        let started = Accelerometer(updateInterval: .milliseconds(10))

        init() { started.startUpdates() }

        var x: Double? { accelerometer.latest?.value.x }
    }

    /// A host whose accelerometer measures one value.
    private static func broker(x: Int) throws -> Broker {
        Broker(.simulated(try SimulatedHost(scenarioText: "[accelerometer]\nRates=100Hz\nSamples=\(x) 0 0\n")))
    }

    @Test("a shared manager measures what the broker of each test measures, also at the same time")
    func twoBrokersAtOnce() async throws {
        let view = Latest(\Tracker.x)
        try await withThrowingTaskGroup { group in
            for x in 1...4 {
                group.addTask {
                    try await Broker.withCurrent(try Self.broker(x: x)) {
                        while view.wrappedValue == nil { try await Task.sleep(for: .milliseconds(1)) }
                        for _ in 0..<50 {
                            #expect(view.wrappedValue == Double(x))
                            try await Task.sleep(for: .milliseconds(1))
                        }
                        let tracker = Tracker.shared
                        #expect(try await tracker.accelerometer.requestReading(timeout: .patience).value.x == Double(x))
                        for try await reading in tracker.accelerometer.readings.prefix(3) {
                            #expect(reading.value.x == Double(x))
                        }
                        // The updates that its initialiser has started are those of each broker.
                        while tracker.started.latest?.value.x != Double(x) {
                            try await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("settings that a test changes are that test's; those from before are every test's")
    func settings() throws {
        let manager = LocationManager(updateInterval: .seconds(2))
        manager.desiredAccuracy = 10
        manager.maximumAge = .seconds(3)
        for _ in 0..<2 {
            Broker.withCurrent(try Self.broker(x: 1)) {
                #expect(manager.updateInterval == .seconds(2) && manager.desiredAccuracy == 10)
                #expect(manager.maximumAge == .seconds(3))
                manager.updateInterval = .seconds(1)
                #expect(manager.updateInterval == .seconds(1))
            }
        }
        #expect(manager.updateInterval == .seconds(2))
    }

    @Test("a manager of a broker stays with it")
    func given() throws {
        let broker = try Self.broker(x: 1)
        let accelerometer = Accelerometer(broker: broker)
        Broker.withCurrent(try Self.broker(x: 2)) {
            accelerometer.startUpdates()
            #expect(Broker.current.usage.listeners == 0)
        }
        #expect(broker.usage.listeners == 1)
    }

    @Test("a manager that was made for a test's broker goes on with it outside of the test's task")
    func outside() async throws {
        let broker = try Self.broker(x: 7)
        let accelerometer = Broker.withCurrent(broker) { Accelerometer(updateInterval: .milliseconds(10)) }
        let reading = try await Task.detached { try await accelerometer.requestReading(timeout: .patience) }.value
        #expect(reading.value.x == 7)
    }

    @Test("neither a manager nor a view keeps a test's broker alive, nor that what stood for a manager that is gone")
    func lifetime() throws {
        var manager: Accelerometer? = Accelerometer()
        let view = Latest(\Tracker.x)
        weak let reference: Broker? = Broker.withCurrent(try Self.broker(x: 1)) {
            manager?.startUpdates()
            _ = view.wrappedValue
            return Broker.current
        }
        #expect(reference == nil)
        let broker = try Self.broker(x: 1)
        Broker.withCurrent(broker) { manager?.startUpdates() }
        #expect(broker.usage.listeners == 1 && broker.usage.managers == 1)
        manager = nil
        #expect(broker.usage.listeners == 0 && broker.usage.managers == 0)
    }
}
