import Fleet
import Spool
import Testing

@testable import sensorbroker_mqtt

/// The connection to the server, and the network before it.
@Suite struct LinkTests {
    @Test("a name server that is silent costs a dial after the other, one at a time, and the spool goes on")
    func silentName() throws {
        let rig = try BridgeRig()
        rig.server.set(.silent)
        try rig.start().run(seconds: 45)
        #expect(rig.log.has("nobody answered within 30 s"))
        #expect(rig.bridge?.summary.contains("nobody answered") == true)
        try rig.run(seconds: 3_600)
        #expect(rig.broker.sent["location", default: 0] > 3_600)
        #expect(rig.server.mostDials == 1)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 1_800)
        #expect(rig.receiver.losses.isEmpty && rig.receiver.numbers(of: "location").contains(1))
        #expect(rig.server.introductions.count == 1, "what was given up connects nobody")
    }

    @Test("a network that is cut, stalls and refuses loses nothing")
    func network() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 20)
        rig.server.cut()
        try rig.run { $0.log.has("The connection was lost.") }
        try rig.run(seconds: 20)
        rig.server.set(.stalled)
        try rig.run(within: 60) { $0.bridge?.summary.contains("did not answer") == true }
        rig.server.set(.open)
        try rig.run(within: 60) { $0.server.isConnected }
        rig.server.set(.stalled)
        try rig.run(seconds: 10)
        rig.server.set(.open)
        try rig.run(seconds: 20)
        rig.server.set(.refusing)
        try rig.run(within: 60) { $0.bridge?.summary.contains("Not connected") == true }
        rig.server.set(.open)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty)
    }

    @Test("what is on its way is not left, before it is answered")
    func underWay() throws {
        let rig = try BridgeRig([("location", "1s")]).start()
        try rig.run(seconds: 20)
        rig.server.answer = { topic, _ in topic.hasSuffix("status") ? .reason(0) : .silence }
        try rig.run(seconds: 40)
        #expect(rig.bridge?.summary == "Connected; 0 messages left")
        rig.server.set(.refusing)
        try rig.run(seconds: 5)
        #expect(rig.bridge?.summary.contains("; 0 messages") == false, "now it is left again")
    }

    @Test("a killed server loses nothing that cannot be asked for again")
    func killedServer() throws {
        let rig = try BridgeRig().start()
        for _ in 0..<5 {
            rig.isReading = false
            try rig.run(seconds: 15)
            rig.server.kill()
            rig.isReading = true
            try rig.run(seconds: 15)
        }
        #expect(!rig.receiver.missing.isEmpty, "the server forgot something")
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && !rig.receiver.hasContradiction)
    }

    @Test("a server that does not answer to the introduction is left after half a minute")
    func silentServer() throws {
        let rig = try BridgeRig()
        rig.server.greeting = { $0 == 1 ? nil : 0 }
        try rig.start().run { $0.log.has("the server does not answer") }
        let introduced = try #require(rig.server.introductions.first)
        #expect((30_000_000_000...60_000_000_000).contains(rig.now - introduced.instant))
        try rig.runUntilComplete()
        #expect(rig.server.introductions.count == 2 && rig.receiver.losses.isEmpty)
    }

    @Test("two bridges with one name notice it by each other's status, and leave each other in peace")
    func twins() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 10)
        for number in 0..<4 {
            rig.send(
                "status", #"{"state":"online","epoch":"\#(String(repeating: "\(number)", count: 32))","streams":{}}"#)
            try rig.run(seconds: 1)
            rig.server.cut()
            try rig.run(within: 400) { $0.server.isConnected || $0.log.has("client id twice") }
        }
        #expect(rig.log.count("client id twice: another program connects as truck") == 1)
        let count = rig.server.introductions.count
        try rig.run(seconds: 290)
        #expect(rig.server.introductions.count == count)
        try rig.run(seconds: 60)
        #expect(rig.server.introductions.count > count)
    }

    @Test("reports of its own, also of the epoch before, are nobody else's")
    func ownReports() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 40)
        rig.kill()
        try rig.start().run(seconds: 5)
        for report in rig.receiver.reports {
            rig.send("status", #"{"state":"online","epoch":"\#(report.epoch)","streams":{}}"#)
        }
        for _ in 0..<5 {
            try rig.run(seconds: 1)
            rig.server.cut()
            try rig.run(within: 30) { $0.server.isConnected }
        }
        #expect(!rig.log.has("client id twice"))
    }
}
