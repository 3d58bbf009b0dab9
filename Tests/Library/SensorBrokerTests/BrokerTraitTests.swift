import Locking
import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTestTraits
import Testing

/// The brokers that tests have got; each is held, so that no two have the same identity.
private let seen = Locked<[Broker]>([])

@Suite(.broker(.mock), .timeLimit(.minutes(30))) struct BrokerTraitTests {
    @Test("each test of a suite, and each case of a test, has a broker of its own", arguments: 0..<5)
    func own(number: Int) async throws {
        let broker = Broker.current
        #expect(broker !== Broker.shared)
        #expect(try await broker.resources().allSatisfy(\.isSimulated))
        let isNew = seen.withLock { seen in
            defer { seen.append(broker) }
            return !seen.contains { $0 === broker }
        }
        #expect(isNew)
    }

    @Test("a test's own trait counts more than that of its suite", .broker(.mock(scenario: "weather-station")))
    func nearest() async throws {
        let resources = try await Broker.current.resources().map(\.name)
        #expect(resources.contains(.humidity))
        #expect(try await Hygrometer().requestReading(timeout: .patience).value.percent > 0)
    }

    @Test("the simulated host of a test can have faults")
    func faults() async throws {
        let host = try #require(try Broker.current.simulatedHost)
        var events = Accelerometer(updateInterval: .milliseconds(10)).events.makeAsyncIterator()
        while let event = try await events.next() { if case .reading = event { break } }
        try host.begin(.unplug, of: .accelerometer)
        var state: ResourceState?
        while state?.name != "unavailable" {
            if case .state(let new)? = try await events.next() { state = new }
        }
    }
}
