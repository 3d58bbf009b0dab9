import Platform
import Readings
import Testing
import Varlink

/// What a client that reads gets of a turn in which much has come.
@Suite(.timeLimit(.minutes(30))) struct BacklogTests {
    @Test("is delivered or reported as missing, whatever the size of the turn", arguments: [20, 100, 400])
    func turn(count: Int64) throws {
        let broker = try ServedBroker()
        var client = try BrokerClient(broker)
        client.send(
            "Subscribe", ["requests": [["resource": "accelerometer", "intervalNanoseconds": 20_000_000]]], mode: .more)
        _ = try client.answer()
        try broker.open(intervalNanoseconds: 20_000_000)
        broker.handOver(count, every: 20_000_000)
        var (readings, missing): (Int64, Int64) = (0, 0)
        while readings + missing < count {
            let answer = try client.answer()
            for reading in try answer.optionalObjects("readings") ?? [] {
                readings += Int64(try reading.object("values").object("columns").array("x").count)
            }
            for gap in try answer.optionalObjects("gaps") ?? [] { missing += try gap.integer("count") }
        }
        #expect(readings + missing == count && readings > 0)
    }
}
