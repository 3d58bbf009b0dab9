import Fleet
import Testing

@testable import sensorbroker_mqtt

@Suite struct NewestReadingsTests {
    @Test("Home Assistant finds the sensors, and each newest value is shown once a second at most")
    func assistant() throws {
        let rig = try BridgeRig([("location", "100ms"), ("light", "100ms")]) { $0.homeAssistant = "homeassistant" }
        try rig.start().run(seconds: 20)
        let kept = rig.server.kept.keys
        #expect(
            kept.contains { $0.hasPrefix("homeassistant/device_tracker/") }
                && kept.contains { $0.hasPrefix("homeassistant/sensor/") })
        let shown = rig.server.published.count { $0.topic == "fleet/truck/location/newest" }
        #expect((18...21).contains(shown))
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.unreadable == 0, "consumers are not disturbed")
    }

    @Test("OwnTracks gets the newest location, and only that")
    func ownTracks() throws {
        let rig = try BridgeRig { $0.ownTracks = "owntracks/fleet/truck" }
        try rig.start().run(seconds: 20)
        let texts = rig.server.published.filter { $0.topic == "owntracks/fleet/truck" }
        #expect((17...21).contains(texts.count))
        let text = String(decoding: try #require(texts.last).payload, as: UTF8.self)
        #expect(text.contains(#""_type":"location""#))
        #expect(!rig.server.published.contains { $0.topic.hasPrefix("homeassistant") || $0.topic.hasSuffix("newest") })
    }

    @Test("nothing is sent to either unless it is configured")
    func neither() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 20)
        let topics = Set(rig.server.published.map(\.topic)).filter { !$0.hasSuffix("/late") }
        #expect(topics == ["fleet/truck/status", "fleet/truck/location", "fleet/truck/light"])
    }
}
