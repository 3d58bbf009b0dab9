import Fleet
import Platform

@testable import MQTT

/// A connection of libmosquitto to a scripted server, on one thread.
final class Session {
    let server: ScriptedServer
    let connection: MQTTConnection
    private(set) var events: [ServerEvent] = []
    /// How the connection ended, in the library's words.
    private(set) var ending: ConnectionEnd?
    /// The most events of one turn.
    private(set) var mostOfTurn = 0

    struct Hangs: Error {}

    /// Begins to connect.
    init(
        to server: ScriptedServer, version: ProtocolVersion = .five, _ change: (inout ConnectionPlan) -> Void = { _ in }
    ) throws {
        MQTTConnection.begin()
        self.server = server
        let address = try ServerAddress(parsing: "mqtt://127.0.0.1:\(server.port)")
        var plan = ConnectionPlan(address, clientID: "test-\(server.port)", version: version)
        change(&plan)
        connection = try MQTTConnection.prepared(plan)
        guard connection.connect() == nil else { throw Hangs() }
    }

    private static let patience: Int64 = 120_000_000_000

    /// Both go on until something is there.
    func run(until isThere: (Session) -> Bool) throws {
        let deadline = Clock.bootNanoseconds() + Self.patience
        while !isThere(self) {
            guard Clock.bootNanoseconds() < deadline else { throw Hangs() }
            server.turn()
            if ending == nil {
                _ = Wait.untilReadable(connection.socket, nanoseconds: 1_000_000)
                ending = connection.turn(isReadable: true)
            }
            let new = connection.takeEvents()
            mostOfTurn = max(mostOfTurn, new.count)
            events += new
        }
    }

    /// The answer to the connection.
    func greeting() throws -> Greeting {
        try run { !$0.events.isEmpty || $0.ending != nil }
        guard case .connected(let greeting)? = events.first else { throw Hangs() }
        return greeting
    }

    var isConnected: Bool {
        events.contains { if case .connected(let greeting) = $0 { greeting.reason == 0 } else { false } }
    }
}
