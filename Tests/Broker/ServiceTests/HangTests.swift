import Foundation
import Readings
import Testing
import Varlink

@testable import Devices

/// A device's thread that hangs in its driver, as seen by clients.
@Suite(.timeLimit(.minutes(30))) struct HangTests {
    /// Reads a stream until the resource is in a state; returns the reason.
    private func wait(for state: String, _ client: inout BrokerClient) throws -> String? {
        // Signs of life come for ever.
        for _ in 0..<10 {
            for resource in try client.answer().optionalObjects("resources") ?? []
            where try resource.string("state") == state {
                return try resource.optionalString("reason")
            }
        }
        throw CocoaError(.coderValueNotFound)
    }

    @Test("only its own resource is unavailable until it returns, and waiting callers are informed")
    func hangs() throws {
        let broker = try ServedBroker(timePasses: true)
        try broker.open(intervalNanoseconds: 10_000_000)
        var stream = try BrokerClient(broker)
        stream.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        _ = try wait(for: "active", &stream)
        var asker = try BrokerClient(broker)
        asker.send("Read", ["resource": "accelerometer"])
        broker.channel.work()
        let reason = try wait(for: "unavailable", &stream) ?? ""
        #expect(reason.contains("has not returned"))
        let refusal = try asker.reply()
        guard case .failure(let error) = refusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(error.name == "io.sensorbroker.Broker.ResourceUnavailable")
        // The loop continues.
        var other = try BrokerClient(broker)
        try other.settle()
        broker.channel.rest()
        let back = try wait(for: "active", &stream)
        #expect(back == nil)
    }

    @Test("it is not reported as released: the administrator's call returns without its name")
    func release() throws {
        let broker = try ServedBroker(timePasses: true)
        try broker.open(intervalNanoseconds: 10_000_000)
        broker.channel.work()
        var administrator = try BrokerClient(broker, asAdministrator: true)
        administrator.send("Release", ["all": true])
        #expect(try administrator.answer().strings("released").isEmpty)
        broker.channel.rest()
    }
}
