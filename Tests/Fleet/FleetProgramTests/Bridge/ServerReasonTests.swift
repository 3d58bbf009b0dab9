import Testing

@testable import Fleet
@testable import sensorbroker_mqtt

/// Each reason that a server of MQTT 5 may give, by its row in the table.
@Suite struct ServerReasonTests {
    @Test(
        "in answer to a connection",
        arguments: Reason.table.filter { $0.code >= 0x10 && $0.connection != nil }.map(\.code))
    func connection(code: Int32) throws {
        let rig = try BridgeRig().start()
        rig.server.greeting = { $0 == 1 ? code : 0 }
        try rig.run(seconds: 50)
        let refusal = Refusal(refusedFor: code)
        let isTwin = refusal == .takenOver
        #expect(rig.log.has(isTwin ? "client id twice" : "the server refuses the connection: "))
        switch refusal {
        case .busy, .version, .retain:
            #expect(rig.server.introductions.count == 2)
            #expect(rig.server.introductions[1].version == (refusal == .version ? .three : .five))
            #expect(rig.server.introductions[1].wantsKeptWill == (refusal != .retain))
        default:
            #expect(rig.server.introductions.count == 1 && rig.server.published.isEmpty)
            #expect(rig.bridge?.summary.contains(isTwin ? "client id twice" : "refuses the connection") == true)
            #expect(rig.bridge?.summary.contains("messages in the spool") == true)
            try rig.run(seconds: 245)
            #expect(rig.server.introductions.count == (isTwin ? 1 : 2))
        }
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.numbers(of: "location").contains(1))
    }

    @Test("in answer to a message", arguments: Reason.table.filter { $0.code >= 0x10 && $0.message != nil }.map(\.code))
    func message(code: Int32) throws {
        let rig = try BridgeRig()
        var refused = 0
        rig.server.answer = { topic, _ in
            guard !topic.hasSuffix("status"), refused < 2 else { return .reason(0) }
            refused += 1
            return .reason(code)
        }
        try rig.start().runUntilComplete()
        #expect(refused == 2 && rig.server.introductions.count == 1)
        #expect(rig.log.has("the server does not take"))
        if Verdict(reason: code) != .tooLarge { #expect(rig.receiver.losses.isEmpty) }
    }

    @Test("at the end of a connection", arguments: Reason.table.filter { $0.code >= 0x10 && $0.end != nil }.map(\.code))
    func end(code: Int32) throws {
        let rig = try BridgeRig()
        var isEnded = false
        rig.server.answer = { topic, _ in
            guard !topic.hasSuffix("status"), !isEnded else { return .reason(0) }
            isEnded = true
            return .disconnect(code)
        }
        try rig.start().run(seconds: 50)
        #expect(rig.log.has("not connected to"))
        let refusal = Refusal(endedFor: code)
        switch refusal {
        case .credentials, .permanent, .takenOver:
            let words = refusal == .takenOver ? "client id twice" : "the server ended the connection"
            #expect(rig.server.introductions.count == 1 && rig.bridge?.summary.contains(words) == true)
            try rig.run(seconds: 255)
        default: break
        }
        try rig.runUntilComplete()
        #expect(rig.server.introductions.count == 2)
        #expect(Set(rig.receiver.losses.keys).isSubset(of: refusal == .size ? ["tooLarge"] : []))
    }

    @Test("whoever is refused for its credentials asks once in one to five minutes", arguments: [0, 0.5, 1])
    func slowly(random: Double) throws {
        let rig = try BridgeRig()
        rig.random = random
        rig.server.greeting = { _ in 0x86 }
        try rig.start().run(seconds: 3_600)
        let instants = rig.server.introductions.map(\.instant)
        let waits = zip(instants, instants.dropFirst()).map { $1 - $0 }
        #expect(waits.count > 10 && waits.allSatisfy { (60_000_000_000...301_000_000_000).contains($0) })
        #expect(rig.log.count("not connected to") == 1, "the same words are logged once")
    }
}
