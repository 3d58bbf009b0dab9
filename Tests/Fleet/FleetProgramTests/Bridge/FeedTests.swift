import Fleet
import Testing

@testable import sensorbroker_mqtt

/// The streams from the broker, whatever becomes of the broker.
@Suite struct FeedTests {
    @Test("a broker that dies leaves a gap that is reported, and its streams go on")
    func restarted() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 10)
        rig.broker.kill()
        try rig.run { $0.log.has("the broker closed the connection") }
        try rig.run(seconds: 5)
        #expect(rig.log.has("there is no broker at /broker: start it"))
        rig.broker.start()
        try rig.runUntilComplete()
        let gaps = rig.receiver.gaps(of: "location")
        #expect(gaps.map(\.cause) == ["brokerLost"])
        let gap = try #require(gaps.first)
        #expect(gap.from < gap.until && gap.until - gap.from >= 5_000_000_000)
        #expect(!rig.receiver.stamps(of: "location").contains { gap.from < $0 && $0 < gap.until })
    }

    @Test("a broker that is not there is tried at ever longer intervals, up to five seconds")
    func retried() throws {
        let rig = try BridgeRig([("location", "1s")])
        rig.broker.isClosed = true
        try rig.start().run(seconds: 60)
        #expect((12...18).contains(rig.broker.turnedAway))
        #expect(rig.log.has("accepts no connection: it is stopped, or hangs"))
        rig.broker.isClosed = false
        try rig.run(within: 6) { $0.receiver.numbers(of: "location").contains(3) }
    }

    @Test("a resource that is not there costs the others nothing, and is reported once")
    func absent() throws {
        let rig = try BridgeRig([("location", "1s"), ("pressure:7", "1s")])
        rig.broker.missing = ["pressure:7"]
        try rig.start().runUntilComplete()
        #expect(rig.log.count("there is no resource pressure:7") == 1)
        #expect(rig.receiver.stamps(of: "location").count >= 29)
        rig.broker.missing = []
        try rig.run(within: 10) { !$0.receiver.stamps(of: "pressure:7").isEmpty }
    }
}
