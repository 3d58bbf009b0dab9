import BrokerClient
import Mock
import Platform
import Replay
import Testing
import Varlink

@testable import SensorBroker
@testable import SensorBrokerSimulation

@Suite struct InProcessBrokerTests {
    private static let patience: Int64 = 300_000_000_000

    @Test("it streams like a daemon, and reports its end")
    func streams() throws {
        var broker: InProcessBroker? = try InProcessBroker(MockDevices())
        guard let descriptor = try broker?.connect() else { throw SystemError("no broker", code: 0) }
        var connection = BrokerConnection(descriptor)
        let requests: JSONValue = [["resource": "accelerometer", "intervalNanoseconds": 10_000_000]]
        try connection.send(Call(Interface.subscribe, parameters: ["requests": requests], mode: .more))
        var readings = 0
        while readings < 5 { readings += try next(&connection).readings.count }
        broker = nil
        var last: Update?
        while last?.ended == nil { last = try next(&connection) }
        #expect(last?.ended == "shutdown")
    }

    @Test("many connections are served at once")
    func many() throws {
        let broker = try InProcessBroker(MockDevices())
        for _ in 0..<50 {
            var connection = BrokerConnection(try broker.connect())
            try connection.send(Call(Interface.listResources))
            let reply = try connection.reply(until: Clock.bootNanoseconds() + Self.patience)
            guard case .success(let parameters, false) = reply else { throw ConnectionFault.closed }
            #expect(try Resource.all(parameters.objects("resources")).map(\.simulated) == [true, true, true, true])
        }
    }

    @Test("a recording is replayed with its gaps and states, and repeats")
    func replays() throws {
        func reading(_ sequence: Int, _ x: Double) -> String {
            #"{"resource":"accelerometer","sequence":\#(sequence),"timestampNanoseconds":\#(1_000_000 * sequence),"#
                + #""values":{"columns":{"x":[\#(x)],"y":[0.0],"z":[9.8]}}}"# + "\n"
        }
        func state(_ name: String, _ milliseconds: Int) -> String {
            #"{"resource":{"name":"accelerometer","kind":"acceleration","state":"\#(name)","reason":"so it was"},"#
                + #""atNanoseconds":\#(1_000_000 * milliseconds)}"# + "\n"
        }
        let gap =
            #"{"gap":{"resource":"accelerometer","cause":"deviceOverflow","count":4,"fromNanoseconds":2000000,"#
            + #""untilNanoseconds":5000000}}"# + "\n"
        let text =
            state("active", 1) + reading(1, 0.5) + gap + reading(6, 1.5) + state("stale", 7) + state("active", 8)
            + reading(8, 2.5)
        let broker = try InProcessBroker(replaying: Recording(parsing: Array(text.utf8)))
        var connection = BrokerConnection(try broker.connect())
        let requests: JSONValue = [["resource": "accelerometer", "intervalNanoseconds": 0]]
        try connection.send(Call(Interface.subscribe, parameters: ["requests": requests], mode: .more))
        var (states, gaps, values): ([String], [Int64?], [Double]) = ([], [], [])
        while values.count < 5 {
            let update = try next(&connection)
            states += update.resources.map(\.state)
            gaps += update.gaps.map(\.count)
            // On a busy host, one reading has several samples.
            for case .values(let columns) in update.readings.map(\.content) {
                values += (0..<columns.count).map { columns.numbers($0)[0] }
            }
        }
        #expect(values.prefix(5) == [0.5, 1.5, 2.5, 0.5, 1.5])
        #expect(gaps.prefix(3) == [4, nil, 4])
        #expect(
            states.filter { $0 != "idle" && $0 != "starting" }.prefix(5)
                == ["active", "stale", "active", "unavailable", "active"])
    }

    private func next(_ connection: inout BrokerConnection) throws -> Update {
        let reply = try connection.reply(until: Clock.bootNanoseconds() + Self.patience)
        guard case .success(let parameters, _) = reply else { throw ConnectionFault.closed }
        return try Update(parameters)
    }

    @Test("a program and the readers of what it provides are tested in one process")
    func provides() async throws {
        let broker = SensorBroker.Broker(.mock)
        let provider = broker.provide(Acceleration.self, named: "accelerometer:arm")
        for try await demand in provider.demands {
            #expect(demand == .nobody)
            break
        }
        let sensor = Accelerometer(broker: broker, resource: provider.names[0], updateInterval: .everySample)
        var readings = sensor.readings.makeAsyncIterator()
        while provider.demand == .nobody { try await Task.sleep(for: .milliseconds(1)) }
        let time = BootTime.now
        provider.send(Acceleration(x: 1, y: 2, z: 3), at: time)
        let reading = try await readings.next()
        #expect(reading?.value == Acceleration(x: 1, y: 2, z: 3) && reading?.timestamp == time)
        // What is simulated keeps its name.
        let second = broker.provide(Acceleration.self)
        await #expect(throws: SensorError.self) { for try await _ in second.demands {} }
        guard case .nameTaken(.accelerometer, _) = second.error else {
            Issue.record("\(String(describing: second.error))")
            return
        }
    }
}
