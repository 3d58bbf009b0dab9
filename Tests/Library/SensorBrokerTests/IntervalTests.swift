import SensorBroker
import SensorBrokerSimulation
import Testing

/// Intervals that are words: as fast as the device can, and every sample that it has.
@Suite(.timeLimit(.minutes(30))) struct IntervalTests {
    private func broker() throws -> Broker {
        // Its default interval is 100 ms.
        Broker(.simulated(try SimulatedHost(scenarioText: "[accelerometer]\nRates=10Hz 400Hz\nSamples=0 0 1\n")))
    }

    /// The interval of the device, once readings come.
    private func deviceInterval(_ manager: Accelerometer, until isReached: (Duration) -> Bool) async throws -> Duration?
    {
        var interval: Duration?
        for try await event in manager.events {
            if case .grant(let grant) = event, let device = grant.deviceInterval { interval = device }
            if case .reading = event, let interval, isReached(interval) { return interval }
        }
        return nil
    }

    @Test("as fast as it can is the device's fastest rate")
    func fastest() async throws {
        let manager = Accelerometer(broker: try broker(), updateInterval: .fastest)
        #expect(try await deviceInterval(manager) { $0 < .milliseconds(3) } == .microseconds(2_500))
        #expect("\(manager.request)" == "accelerometer as fast as it can")
    }

    @Test("every sample leaves the device at its default rate, and follows it when somebody needs more")
    func everySample() async throws {
        let broker = try broker()
        let manager = Accelerometer(broker: broker)
        manager.updateInterval = .everySample
        #expect(try await deviceInterval(manager) { _ in true } == .milliseconds(100))
        let other = Accelerometer(broker: broker, updateInterval: .fastest)
        other.startUpdates()
        #expect(try await deviceInterval(manager) { $0 < .milliseconds(3) } == .microseconds(2_500))
        #expect("\(manager.request)" == "accelerometer every sample")
    }
}
