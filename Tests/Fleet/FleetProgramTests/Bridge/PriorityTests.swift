import Configuration
import Fleet
import Spool
import Testing

@testable import sensorbroker_mqtt

/// What of a full spool stays, and what leaves first.
@Suite struct PriorityTests {
    private static let readings = [("light", "10ms priority low"), ("location", "1s priority high")]

    @Test("without a server for long, location is all there, and what of light is not is reported")
    func full() throws {
        let rig = try BridgeRig(Self.readings) { $0.maximumBytes = 64 << 10 }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 300)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 3_600)
        #expect(Set(rig.receiver.losses.keys) == ["evicted"] && !rig.receiver.hasContradiction)
        #expect(Set(rig.receiver.messages.filter { $0.message.lost != nil }.map(\.resource)) == ["light"])
        #expect(rig.receiver.numbers(of: "location").isSuperset(of: 1...290))
        // What has a higher priority leaves first.
        let late = rig.receiver.messages.filter(\.isLate).map(\.resource)
        let last = try #require(late.lastIndex(of: "location")), first = try #require(late.firstIndex(of: "light"))
        #expect(last < first)
    }

    @Test("priorities may change at each start, also with messages left and after kills")
    func changed() throws {
        let rig = try BridgeRig([("light", "100ms"), ("location", "100ms")])
        rig.server.set(.refusing)
        try rig.start().run(seconds: 60)
        rig.kill()
        rig.settings.readings = [
            try WantedReading(resource: "location", parsing: "100ms priority high"),
            try WantedReading(resource: "light", parsing: "100ms quota 50%"),
        ]
        try rig.start().run(seconds: 60)
        try rig.stop()
        rig.settings.readings = [try WantedReading(resource: "location", parsing: "100ms priority low")]
        try rig.start().run(seconds: 60)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 1_200)
        #expect(rig.receiver.losses.isEmpty && !rig.receiver.hasContradiction && rig.receiver.unreadable == 0)
        let began = rig.receiver.messages.filter { $0.resource == "location" }.compactMap(\.message.former)
        #expect(began.count == 2 && began.allSatisfy { $0.last > 400 })
        #expect(rig.receiver.epochs(of: "location").count == 3 && rig.receiver.epochs(of: "light").count == 2)
    }
}
