import Configuration
import Fleet
import Testing

@testable import sensorbroker_mqtt

/// What whoever operates the fleet wants of a stream, from the server's message to the broker's grant and back.
@Suite struct ControlTests {
    private static let second: Int64 = 1_000_000_000

    private func rig(
        _ readings: [(String, String)] = [("location", "100ms")], least: Int64? = 50_000_000
    ) throws -> BridgeRig {
        try BridgeRig(readings) { settings in
            settings.allowsRemoteInterval = true
            settings.minimumInterval = least.map { .init(nanoseconds: $0) }
        }
    }

    private func granted(_ interval: Int64, _ batch: Int64 = 0) -> String {
        #""granted":{"intervalNanoseconds":\#(interval),"batchNanoseconds":\#(batch)}"#
    }

    private func set(_ interval: Int64) -> String { #"{"intervalNanoseconds":\#(interval)}"# }

    @Test("an interval is changed while the stream runs, and restored by an empty message")
    func changed() throws {
        let rig = try rig().start()
        try rig.run { $0.newest("location/grant") == "{\(granted(Self.second / 10))}" }
        rig.send("location/set", set(Self.second / 2), isRetained: true)
        try rig.run(within: 5) { rig in
            rig.newest("location/grant")
                == "{\"requested\":\(set(Self.second / 2)),\(granted(Self.second / 2))}"
        }
        try rig.run(seconds: 5)
        let stamps = rig.receiver.stamps(of: "location").suffix(4)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == Self.second / 2 })
        rig.send("location/set", "", isRetained: true)
        try rig.run(within: 5) { $0.newest("location/grant") == "{\(granted(Self.second / 10))}" }
        try rig.runUntilComplete()
        #expect(rig.receiver.gaps(of: "location").isEmpty, "the stream itself has not ended")
        let grants = rig.receiver.messages.flatMap { $0.message.objects("grants") }
        #expect(grants.count == 3, "a change is in the stream too, where it begins")
    }

    @Test("no faster than is allowed: by the configuration, as it is configured itself, or by the broker")
    func bounds() throws {
        for (least, expected) in [(50_000_000, 50_000_000), (nil, 100_000_000), (0, 1_000_000)] as [(Int64?, Int64)] {
            let rig = try rig(least: least).start()
            rig.send("location/set", set(0), isRetained: true)
            try rig.run(within: 5) { $0.newest("location/grant")?.contains(granted(expected)) == true }
        }
    }

    @Test("what the broker refuses is reported with the reason")
    func refused() throws {
        let rig = try rig([("location", "100ms"), ("pressure:7", "1s")])
        rig.broker.missing = ["pressure:7"]
        try rig.start().run(seconds: 1)
        rig.send("pressure:7/set", set(2 * Self.second), isRetained: true)
        try rig.run(within: 20) { rig in
            let text = rig.newest("pressure:7/grant") ?? ""
            return text.contains("\"requested\":\(set(2 * Self.second))")
                && text.contains("there is no resource pressure:7")
        }
    }

    @Test(
        "what is no such message is refused with the reason, and the configuration holds",
        arguments: [
            ("no", "it is no JSON"), ("[]", "it is no JSON object"), ("{}", "it has no intervalNanoseconds"),
            (#"{"intervalNanoseconds":-1}"#, "no whole number"), (#"{"intervalNanoseconds":1.5}"#, "no whole number"),
            (#"{"intervalNanoseconds":1e9}"#, "no whole number"),
            (#"{"intervalNanoseconds":9223372036854775807}"#, "no whole number"),
            (#"{"intervalNanoseconds":1,"batchNanoseconds":-1}"#, "batchNanoseconds is no whole number"),
            (#"{"intervalNanoseconds":1,"interval":"1s"}"#, "other than"),
            (#"{"intervalNanoseconds":1,"intervalNanoseconds":2}"#, "no JSON"),
            (String(repeating: "[", count: 900), "no JSON"),
            (String(repeating: " ", count: 1_025), "longer than 1024 bytes"), ("\u{0}\u{1}", "no JSON"),
        ])
    func improper(text: String, words: String) throws {
        let rig = try rig().start()
        rig.send("location/set", set(Self.second), isRetained: true)
        try rig.run(within: 5) { $0.newest("location/grant")?.contains(granted(Self.second)) == true }
        rig.send("location/set", text, isRetained: true)
        try rig.run(within: 5) { rig in
            let grant = rig.newest("location/grant") ?? ""
            return grant.contains("\"refused\":\"") && grant.contains(words)
                && grant.contains(granted(Self.second / 10))
        }
    }

    @Test("a message that is no text is refused")
    func noText() throws {
        let rig = try rig().start()
        rig.server.publish("fleet/truck/location/set", [0xFF, 0xFE], isRetained: true)
        try rig.run(within: 5) { $0.newest("location/grant")?.contains("it is no JSON") == true }
    }

    @Test("it is off unless it is allowed")
    func off() throws {
        let rig = try BridgeRig([("location", "100ms")])
        rig.send("location/set", set(10 * Self.second), isRetained: true)
        try rig.start().run(seconds: 20)
        #expect(rig.newest("location/grant") == nil && rig.broker.modifications == 0)
        #expect(!rig.server.subscriptions.contains("fleet/truck/+/set"))
    }

    @Test("it survives restarts of the bridge, of the broker, and of a server that keeps it")
    func survives() throws {
        let rig = try rig()
        let grant = "{\"requested\":\(set(Self.second / 2)),\(granted(Self.second / 2))}"
        rig.send("location/set", set(Self.second / 2), isRetained: true)
        try rig.start().run(within: 10) { $0.newest("location/grant") == grant }
        try rig.stop()
        let count = rig.server.published.count
        try rig.start().run(within: 10) { rig in
            rig.server.published[count...].contains { $0.topic.hasSuffix("grant") && $0.payload == Array(grant.utf8) }
        }
        rig.broker.kill()
        rig.broker.start()
        rig.server.cut()
        try rig.run(seconds: 30)
        let stamps = rig.receiver.stamps(of: "location").suffix(8)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == Self.second / 2 })
        #expect(rig.newest("location/grant") == grant)
    }

    @Test("what was removed while there was no connection ends")
    func removed() throws {
        let rig = try rig().start()
        rig.send("location/set", set(Self.second), isRetained: true)
        try rig.run(within: 5) { $0.newest("location/grant")?.contains(granted(Self.second)) == true }
        rig.server.kill()
        try rig.run(within: 30) { $0.newest("location/grant") == "{\(granted(Self.second / 10))}" }
    }

    @Test("a change that does not reach the broker is tried again, and the stream goes on")
    func unreached() throws {
        let rig = try rig().start()
        try rig.run(seconds: 2)
        rig.broker.isClosed = true
        rig.send("location/set", set(Self.second / 2), isRetained: true)
        try rig.run(within: 10) { $0.broker.turnedAway >= 3 }
        rig.broker.isClosed = false
        try rig.run(within: 5) { $0.newest("location/grant")?.contains(granted(Self.second / 2)) == true }
        #expect(rig.receiver.gaps(of: "location").isEmpty)
    }

    @Test("a flood of messages changes a stream once a second at most")
    func flood() throws {
        let rig = try rig([("location", "100ms"), ("light", "100ms")]).start()
        try rig.run(seconds: 2)
        let grants = rig.server.published.count { $0.topic.hasSuffix("grant") }
        for index in 0..<3_000 as Range<Int64> {
            rig.send("location/set", set(Self.second + index), isRetained: true)
            if index.isMultiple(of: 10) { try rig.run(seconds: 0.01) }
        }
        rig.send("location/set", String(repeating: "x", count: 100_000), isRetained: true)
        rig.send("location/set", set(Self.second / 4), isRetained: true)
        try rig.run(within: 5) { $0.newest("location/grant")?.contains(granted(Self.second / 4)) == true }
        #expect(rig.broker.modifications <= 6)
        #expect(rig.server.published.count { $0.topic.hasSuffix("grant") } - grants <= 6)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.stamps(of: "light").count > 300)
    }
}
