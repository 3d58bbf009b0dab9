import Admission
import Delivery
import Readings
import Testing

@testable import Service

@Suite("A change of a stream") struct StreamChangeTests {
    private let client: AdmittedClient
    private let stream: Subscription

    private struct Refused: Error {}

    init() throws {
        client = try AdmittedClient()
        guard let charge = client.server.clients.quotas.subscriptions.charge(1, to: 1) else { throw Refused() }
        stream = Subscription(id: StreamID(), connection: client.connection, charge: charge)
        let parts = ["a", "b", "c"].map { Self.part($0, every: 10_000_000) }
        _ = stream.adopt(StreamChange(of: stream, ending: [], putting: parts), [:])
    }

    private static func part(_ label: String, every nanoseconds: Int64, of resource: Int = 0) -> Subscription.Part {
        var request = Request(resource: resource == 0 ? .accelerometer : .location)
        request.label = label
        request.intervalNanoseconds = nanoseconds
        let grant = Grant(request, held: nanoseconds, batchNanoseconds: 0, batchReadings: nil)
        return Subscription.Part(resource: ResourceIndex(resource), request: request, grant: grant)
    }

    private func change(ending ended: [String] = [], _ parts: [Subscription.Part]) -> StreamChange {
        StreamChange(of: stream, ending: ended.compactMap { stream.part(named: $0) }, putting: parts)
    }

    @Test("leaves an unchanged grant in its lane")
    func unchanged() {
        let change = change([Self.part("a", every: 10_000_000)])
        #expect(change.leaving.isEmpty && change.regranted.isEmpty && change.parts.map(\.name) == ["a"])
    }

    @Test("takes changed requests and ended ones out of their lanes, and puts changed and new ones into others")
    func changed() {
        let change = change(ending: ["c"], [Self.part("a", every: 20_000_000), Self.part("d", every: 10_000_000)])
        #expect(change.leaving.map(\.name) == ["c", "a"])
        #expect(change.regranted.map(\.name) == ["a", "d"])
        #expect(change.former.map(\.grant.intervalNanoseconds) == [10_000_000] && change.moved.isEmpty)
        let accounts = stream.adopt(change, [:])
        #expect(accounts.isEmpty && stream.parts.map(\.name) == ["a", "b", "d"])
        #expect(stream.part(named: "a")?.grant.intervalNanoseconds == 20_000_000)
    }

    @Test("ends the request whose label is given to another resource's")
    func moved() throws {
        let number = try #require(stream.part(named: "b")).number
        let change = change([Self.part("b", every: 10_000_000, of: 1)])
        #expect(change.moved.map(\.name) == ["b"] && change.regranted.map(\.name) == ["b"])
        _ = stream.adopt(change, [:])
        #expect(stream.contains(ResourceIndex(1)) && stream.part(named: "b")?.number != number)
        #expect(client.connection.label(of: number) == nil)
    }
}
