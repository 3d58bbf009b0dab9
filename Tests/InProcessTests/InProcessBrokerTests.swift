import BrokerClient
import InProcess
import Platform
import Testing
import Varlink

@Suite struct InProcessBrokerTests {
    private static let patience: Int64 = 30_000_000_000

    @Test("it streams what a daemon would, and says so when it ends")
    func streams() throws {
        var broker: InProcessBroker? = try InProcessBroker()
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

    @Test("many connections are served side by side")
    func many() throws {
        let broker = try InProcessBroker()
        for _ in 0..<50 {
            var connection = BrokerConnection(try broker.connect())
            try connection.send(Call(Interface.listResources))
            let reply = try connection.reply(until: Clock.bootNanoseconds() + Self.patience)
            guard case .success(let parameters, false) = reply else { throw ConnectionFault.closed }
            #expect(try Resource.all(parameters.objects("resources")).map(\.simulated) == [true, true])
        }
    }

    private func next(_ connection: inout BrokerConnection) throws -> Update {
        let reply = try connection.reply(until: Clock.bootNanoseconds() + Self.patience)
        guard case .success(let parameters, _) = reply else { throw ConnectionFault.closed }
        return try Update(parameters)
    }
}
