import Foundation
import Testing

@testable import Mock
@testable import SensorBroker
@testable import SensorBrokerSimulation

@Suite(.timeLimit(.minutes(30))) struct SimulatedHostTests {
    /// The reason for which a host or a fault is refused.
    private func refusal(_ body: () throws(SensorError) -> Void) -> String {
        do throws(SensorError) {
            try body()
            return ""
        } catch {
            guard case .invalidRequest(let text) = error else { return "\(error)" }
            return text
        }
    }

    @Test("each scenario that comes with the library has its devices", arguments: SimulatedHost.scenarioNames)
    func shipped(name: String) async throws {
        let host = try SimulatedHost(scenario: name)
        let resources = try await Broker(.simulated(host)).resources()
        #expect(resources.count > 1 && resources.allSatisfy(\.isSimulated))
        #expect(resources.contains { $0.name == .orientation } == resources.contains { $0.name == .accelerometer })
    }

    @Test("a scenario in a text, with its faults, is what managers get")
    func text() async throws {
        let host = try SimulatedHost(
            scenarioText: """
                [accelerometer]
                Rates=100Hz
                Samples=1 2 3
                [Events]
                At=100ms unplug accelerometer for 50ms
                """)
        var (values, wasAway): (Set<Acceleration>, Bool) = ([], false)
        for try await event in Accelerometer(broker: Broker(.simulated(host)), updateInterval: .zero).events {
            if case .reading(let reading) = event {
                values.insert(reading.value)
                if wasAway { break }
            }
            if case .state(.unavailable) = event { wasAway = true }
        }
        #expect(values == [Acceleration(x: 1, y: 2, z: 3)])
    }

    @Test("an invalid scenario is an error with its lines; a GPX file is the daemon's")
    func invalid() async {
        let name = refusal { () throws(SensorError) in _ = try SimulatedHost(scenario: "city-drvie") }
        #expect(name.contains("city-drive?"))
        let text = "[location]\nPosition=91, 0\n[camera]\n"
        let words = refusal { () throws(SensorError) in _ = try SimulatedHost(scenarioText: text) }
        #expect(words.contains("scenario:2:") && words.contains("scenario:3:"))
        let track = refusal { () throws(SensorError) in _ = try SimulatedHost(scenarioText: "[location]\nGpx=a.gpx\n") }
        #expect(track.contains("sensorbrokerd --mock") && track.contains("Waypoint="))
        await #expect(throws: SensorError.self) { try await Broker(.mock(scenario: "nothing")).resources() }
    }

    @Test("a fault begins and ends when the test orders it, and all brokers of the host see it")
    func faults() async throws {
        let host = SimulatedHost()
        let first = LocationManager(broker: Broker(.simulated(host)), updateInterval: .milliseconds(100))
        let second = LocationManager(broker: Broker(.simulated(host)), updateInterval: .milliseconds(100))
        var events = [first.readings.makeAsyncIterator(), second.readings.makeAsyncIterator()]
        for index in events.indices { #expect(try await events[index].next()?.value.coordinate != nil) }
        try host.begin(.noFix)
        for index in events.indices { while try await events[index].next()?.value.coordinate != nil {} }
        try host.endFaults(of: .location)
        for index in events.indices { while try await events[index].next()?.value.coordinate == nil {} }
        try host.begin(.jump(meters: 5_000_000, directionDegrees: 90))
        let far = try await first.requestLocation(timeout: .patience)
        try host.endFaults()
        let near = try await first.requestLocation(timeout: .patience)
        #expect(far.value.distance(to: near.value) > 1_000_000)
    }

    @Test("a fault that cannot happen is refused, and the error lists what can")
    func impossible() throws {
        let host = SimulatedHost()
        func begin(
            _ fault: SimulatedFault, of resource: ResourceName? = nil, for duration: Duration? = nil
        ) -> String {
            refusal { () throws(SensorError) in try host.begin(fault, of: resource, for: duration) }
        }
        #expect(begin(.unplug).contains("to which device?"))
        #expect(begin(.noFix, of: .accelerometer).contains("it measures acceleration"))
        #expect(begin(.stall, of: .gyroscope).contains("the devices are location, accelerometer"))
        #expect(begin(.overflow(samples: 0), of: .accelerometer).contains("1 to 1000000"))
        #expect(begin(.overflow(samples: 1), of: .accelerometer, for: .seconds(1)).contains("leave out the duration"))
        #expect(begin(.stall, of: .accelerometer, for: .zero).contains("above 0"))
        #expect(begin(.refuse(interval: .milliseconds(10)), of: .accelerometer).isEmpty)
        #expect(throws: SensorError.noSuchResource(.gyroscope)) { try host.endFaults(of: .gyroscope) }
    }

    @Test("a recording has no other faults than those that were recorded")
    func recording() throws {
        let file = FileManager.default.temporaryDirectory.path + "/recording-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let line =
            "{\"resource\":\"accelerometer\",\"sequence\":1,\"timestampNanoseconds\":1,"
            + "\"values\":{\"columns\":{\"x\":[0.0],\"y\":[0.0],\"z\":[9.81]}}}\n"
        try line.write(toFile: file, atomically: true, encoding: .utf8)
        let host = try SimulatedHost(recording: file)
        #expect(refusal { () throws(SensorError) in try host.begin(.stall) }.contains("recording"))
    }

    @Test("a broker knows its host; one of a daemon has none")
    func ofBroker() throws {
        let broker = Broker(.mock)
        let host = try #require(try broker.simulatedHost)
        #expect(try broker.simulatedHost === host)
        #expect(try Broker(.daemon).simulatedHost == nil)
        #expect(try Broker(.mock).simulatedHost !== host)
        #expect(throws: SensorError.self) { try Broker(.replay(file: "/nowhere")).simulatedHost }
    }

    @Test("what times the faults ends with the host")
    func end() async throws {
        weak var board: FaultBoard?
        do {
            let devices = try MockDevices()
            board = devices.boards.first
            let broker = try InProcessBroker(devices)
            #expect(board != nil)
            withExtendedLifetime(broker) {}
        }
        while board != nil { try await Task.sleep(for: .milliseconds(1)) }
    }
}
