import Configuration
import Fleet
import Spool
import Testing

@testable import sensorbroker_mqtt

/// What the bridge makes of servers: limits, silence, other versions, and what it is asked for.
@Suite struct ServerTests {
    @Test("what is measured arrives as the broker wrote it, each number once, with the relation of the clocks")
    func plain() throws {
        let rig = try BridgeRig().start()
        try rig.runUntilComplete()
        for resource in ["location", "light"] {
            let epochs = rig.receiver.epochs(of: resource)
            #expect(epochs.count == 1 && rig.receiver.numbers(of: resource).contains(1))
            let first = try #require(rig.receiver.messages.first { $0.resource == resource && $0.message.number == 1 })
            #expect(first.message.beginning == .first && first.message.clock?.bootID == rig.boot)
            #expect(rig.receiver.stamps(of: resource) == rig.receiver.stamps(of: resource).sorted())
        }
        #expect(rig.receiver.counts.values.allSatisfy { $0 == 1 } && !rig.receiver.hasContradiction)
        #expect(rig.receiver.losses.isEmpty && rig.receiver.unreadable == 0)
        #expect(rig.receiver.reports.last?.state == .online && rig.bridge?.summary.hasPrefix("Connected; ") == true)
        try rig.stop()
        #expect(rig.receiver.reports.last?.state == .offline && rig.receiver.missing.isEmpty)
    }

    @Test("without a server, readings are kept in compressed groups and come late, in their order")
    func without() throws {
        let rig = try BridgeRig()
        rig.server.set(.refusing)
        try rig.start().run(seconds: 120)
        #expect(rig.log.has("the server cannot be reached: Connection refused"))
        #expect(rig.bridge?.summary.contains("in the spool") == true)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 1_200)
        #expect(rig.receiver.groups > 10 && rig.receiver.losses.isEmpty)
        let late = rig.receiver.messages.filter { $0.resource == "location" && $0.isLate }.map(\.message.number)
        #expect(late == late.sorted() && late.first == 1)
        #expect(rig.receiver.messages.contains { !$0.isLate })
    }

    @Test("in the order of measurement nothing is late")
    func oldestFirst() throws {
        let rig = try BridgeRig { $0.order = .oldest }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 60)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 1_200)
        let numbers = rig.receiver.messages.filter { $0.resource == "location" }.map(\.message.number)
        #expect(numbers == numbers.sorted() && !rig.receiver.messages.contains { $0.isLate })
    }

    @Test("a stream that is not allowed is kept and tried now and then, and the other goes on")
    func denied() throws {
        let rig = try BridgeRig()
        var isAllowed = false
        rig.server.answer = { topic, _ in topic.contains("/location") && !isAllowed ? .reason(0x87) : .reason(0) }
        try rig.start().run(seconds: 120)
        #expect(rig.log.count("the server does not take location now: Not authorized") == 1)
        #expect(rig.bridge?.summary.contains("does not take location") == true)
        #expect(rig.receiver.numbers(of: "light").count > 40 && rig.receiver.numbers(of: "location").isEmpty)
        #expect(rig.server.published.count { $0.topic.contains("/location") } < 20)
        isAllowed = true
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.numbers(of: "location").contains(1))
    }

    @Test("without subscribers nothing counts as delivered")
    func noSubscribers() throws {
        let rig = try BridgeRig()
        var hasSubscribers = false
        rig.server.answer = { topic, _ in hasSubscribers || topic.hasSuffix("status") ? .reason(0) : .reason(0x10) }
        try rig.start().run(seconds: 60)
        #expect(rig.log.has("nobody has subscribed to it") && rig.receiver.messages.isEmpty)
        hasSubscribers = true
        try rig.runUntilComplete()
        for resource in ["location", "light"] { #expect(rig.receiver.numbers(of: resource).contains(1)) }
    }

    @Test("no more is out than the server allows, and the status")
    func window() throws {
        let rig = try BridgeRig([("location", "100ms")])
        rig.server.set(.refusing)
        try rig.start().run(seconds: 60)
        rig.server.receiveMaximum = 5
        rig.server.set(.open)
        try rig.runUntilComplete()
        #expect((2...6).contains(rig.server.mostUnanswered))
    }

    @Test("a server that acknowledges nothing gets the window and the status, and delivers nothing")
    func silent() throws {
        let rig = try BridgeRig([("location", "10ms")])
        rig.server.answer = { _, _ in .silence }
        try rig.start().run(seconds: 20)
        #expect(rig.server.mostUnanswered == 101 && rig.receiver.messages.isEmpty)
        try rig.stop()
        rig.server.answer = { _, _ in .reason(0) }
        try rig.start().runUntilComplete()
        #expect(rig.receiver.numbers(of: "location").contains(1) && rig.receiver.losses.isEmpty)
    }

    @Test("a group that is too large for the server is divided")
    func divided() throws {
        let rig = try BridgeRig([("location", "100ms")]) { $0.sync = .init(nanoseconds: 30_000_000_000) }
        rig.server.packetMaximum = 1_500
        rig.server.set(.refusing)
        try rig.start().run(seconds: 90)
        rig.server.set(.open)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.groups > 3)
        #expect(rig.server.published.allSatisfy { $0.topic.utf8.count + $0.payload.count < 1_500 })
        #expect(rig.receiver.numbers(of: "location").isSuperset(of: 1...800))
    }

    @Test("batches are made shorter for a server that takes no message of that size", arguments: [true, false])
    func shorterBatches(isAnnounced: Bool) throws {
        let rig = try BridgeRig([("location", "1s"), ("light", "10ms batch 1s")])
        rig.server.packetMaximum = isAnnounced ? 2_000 : nil
        rig.server.answer = { _, payload in payload.count > 1_980 ? .reason(0x95) : .reason(0) }
        try rig.start().runUntilComplete()
        try rig.run(seconds: 60)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.log.count("the server takes no messages of light with") == 1)
        // What was too large had its number already: it went compressed.
        #expect((1...8).contains(rig.receiver.groups) && rig.broker.modifications == 1)
        #expect(rig.receiver.stamps(of: "light").count > 150)
    }

    @Test(
        "batches become longer again once the server takes more, and nothing is lost by trying",
        arguments: [true, false])
    func longerBatches(isAnnounced: Bool) throws {
        let rig = try BridgeRig([("light", "100ms batch 20s")])
        var most = 1_200
        rig.server.packetMaximum = isAnnounced ? most : nil
        rig.server.answer = { _, payload in payload.count > most - 20 ? .reason(0x95) : .reason(0) }
        try rig.start().run(seconds: 100)
        func perMinute() throws -> Int {
            let before = rig.receiver.messages.count
            try rig.run(seconds: 60)
            return rig.receiver.messages.count - before
        }
        #expect(try perMinute() > 10)
        // One that still takes no more is asked again each hour.
        try rig.run(seconds: isAnnounced ? 0 : 4_500)
        #expect(try perMinute() > 7)
        most = 1 << 20
        rig.server.packetMaximum = isAnnounced ? most : nil
        if isAnnounced { rig.server.cut() }
        try rig.run(seconds: isAnnounced ? 400 : 4_500)
        #expect(try perMinute() <= 4)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty)
    }

    @Test("a message that is too large alone, and compressed, is reported as lost")
    func tooLarge() throws {
        let rig = try BridgeRig([("location", "1s"), ("light", "10ms batch 1s")])
        rig.broker.shortestBatch = 1_000_000_000
        rig.server.packetMaximum = 400
        try rig.start().runUntilComplete()
        #expect(Set(rig.receiver.losses.keys) == ["tooLarge"])
        #expect(rig.log.has(" lost; their numbers are reported to consumers"))
        let lost = rig.receiver.messages.filter { $0.message.lost != nil }
        #expect(Set(lost.map(\.resource)) == ["light"])
    }

    @Test("what is too large in a group is lost once, although the connection ends before the rest has arrived")
    func tooLargeInGroup() throws {
        let rig = try BridgeRig([("light", "10ms batch 1s")]) { $0.sync = .init(nanoseconds: 30_000_000_000) }
        rig.server.set(.refusing)
        rig.server.packetMaximum = 3_000
        try rig.start().run(seconds: 5)
        rig.broker.kill()
        rig.broker.shortestBatch = 20_000_000_000
        rig.broker.start()
        try rig.run(seconds: 60)
        rig.broker.kill()
        rig.broker.shortestBatch = 0
        rig.broker.start()
        rig.server.answer = { _, _ in .silence }
        rig.server.set(.open)
        for _ in 0..<3 {
            try rig.run(seconds: 70)
            rig.server.cut()
        }
        rig.server.answer = { _, _ in .reason(0) }
        try rig.runUntilComplete()
        try rig.run(seconds: 130)
        let lost = Set(rig.receiver.losses["tooLarge", default: []].joined())
        let logged = rig.log.lines.compactMap { line in
            line.contains(" lost; their numbers") ? line.split(separator: " ").first.flatMap { Int($0) } : nil
        }
        #expect(!lost.isEmpty && rig.receiver.numbers(of: "light").isDisjoint(with: lost))
        #expect(logged.reduce(0, +) == lost.count)
    }

    @Test(
        "what a server once did not take is tried again an hour later, also while the connection lasts",
        arguments: [true, false])
    func tooLargeOnce(endsConnection: Bool) throws {
        let rig = try BridgeRig([("light", "100ms batch 20s")])
        rig.broker.shortestBatch = 20_000_000_000
        rig.server.answer = { _, payload in
            payload.count < 400 ? .reason(0) : endsConnection ? .disconnect(0x95) : .reason(0x95)
        }
        try rig.start().run(seconds: 100)
        #expect(Set(rig.receiver.losses.keys) == ["tooLarge"])
        rig.server.answer = { _, _ in .reason(0) }
        let connections = rig.server.introductions.count
        try rig.run(seconds: 3_700)
        let losses = rig.receiver.losses
        try rig.run(seconds: 60)
        #expect(rig.receiver.losses == losses && rig.server.introductions.count == connections)
    }

    @Test(
        "a server that keeps nothing gets everything without that, whether it announces that or refuses it",
        arguments: [true, false])
    func keepsNothing(isAnnounced: Bool) throws {
        let rig = try BridgeRig()
        (rig.server.retains, rig.server.announcesRetain) = (false, isAnnounced)
        try rig.start().runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && rig.receiver.reports.last?.state == .online)
        #expect(rig.log.count("keeps no messages") == 1 && rig.server.kept.isEmpty)
        #expect(rig.server.introductions.count == (isAnnounced ? 1 : 2))
        #expect(rig.server.introductions.last?.wantsKeptWill == isAnnounced)
    }

    @Test("a server that ends the connection for a large message gets it divided, or compressed")
    func endsForSize() throws {
        let rig = try BridgeRig([("location", "100ms"), ("light", "10ms batch 2s")]) { settings in
            settings.sync = .init(nanoseconds: 30_000_000_000)
        }
        rig.server.answer = { _, payload in payload.count > 1_500 ? .disconnect(0x95) : .reason(0) }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 90)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 3_600)
        #expect(rig.receiver.losses.isEmpty)
        #expect(rig.receiver.numbers(of: "location").isSuperset(of: 1...800))
    }

    @Test("a server that ends the connection for too many messages gets fewer at once")
    func endsForWindow() throws {
        let rig = try BridgeRig([("location", "100ms")])
        rig.server.answer = { [server = rig.server] topic, _ in
            topic.hasSuffix("status") || server.unanswered <= 6 ? .reason(0) : .disconnect(0x93)
        }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 600)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 3_600)
        #expect(rig.receiver.losses.isEmpty && (2...8).contains(rig.server.introductions.count))
    }

    @Test(
        "a server that once ended the connection for too many messages gets more again an hour later, while it lasts")
    func endsForWindowOnce() throws {
        let rig = try BridgeRig([("location", "500ms")])
        rig.server.answer = { [server = rig.server] topic, _ in
            topic.hasSuffix("status") || server.unanswered <= 6 ? .reason(0) : .disconnect(0x93)
        }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 60)
        rig.server.set(.open)
        try rig.runUntilComplete(within: 600)
        let connections = rig.server.introductions.count
        rig.server.answer = { _, _ in .reason(0) }
        try rig.run(seconds: 4_000)
        rig.server.answer = { _, _ in .silence }
        try rig.run(seconds: 30)
        #expect(rig.server.introductions.count == connections && rig.server.unanswered > 12)
    }

    @Test("a server of 3.1.1 is used, and warned of")
    func former() throws {
        let rig = try BridgeRig()
        rig.server.versions = [.three]
        try rig.start().runUntilComplete()
        #expect(rig.log.count("the server speaks only MQTT 3.1.1") == 1)
        #expect(rig.server.introductions.map(\.version) == [.five, .three])
    }

    @Test("a server that closes connections of 5 is used with 3.1.1, and warned of; the words name the setting")
    func closesFive() throws {
        let rig = try BridgeRig()
        rig.server.closes = { $0 == .five }
        try rig.start().runUntilComplete()
        #expect(rig.log.count("the server closes connections of MQTT 5, so 3.1.1 is used") == 1)
        #expect(rig.log.has("if it speaks only MQTT 3.1.1, write Version=3.1.1 under [Server]"))
        #expect(rig.server.introductions.map(\.version) == [.five, .five, .three, .five, .three])
    }

    @Test("a server that is away behind a proxy is asked with 5 when it comes back")
    func proxy() throws {
        for seconds in [20, 33, 47, 61] as [Double] {
            let rig = try BridgeRig()
            rig.server.closes = { _ in true }
            try rig.start().run(seconds: seconds)
            rig.server.closes = { _ in false }
            try rig.runUntilComplete()
            #expect(rig.server.introductions.last?.version == .five && !rig.log.has("so 3.1.1 is used"))
        }
    }

    @Test("a refused certificate is guessed where encryption had begun, and nowhere else")
    func hint() throws {
        for (url, network, isGuessed) in [
            ("mqtts://server", ModelServer.Network.open, true), ("mqtts://server", .refusing, false),
            ("mqtt://server", .open, false),
        ] {
            let rig = try BridgeRig()
            rig.settings.server = try ServerAddress(parsing: url)
            (rig.settings.certificate, rig.settings.key) = ("c", "k")
            rig.server.closes = { _ in true }
            rig.server.set(network)
            try rig.start().run(seconds: 20)
            #expect(rig.log.has("not connected") && rig.log.has("refuses a client's certificate") == isGuessed)
        }
    }

    @Test("a version that is set is the only one")
    func setVersion() throws {
        let rig = try BridgeRig { $0.version = .five }
        rig.server.versions = [.three]
        try rig.start().run(seconds: 60)
        #expect(Set(rig.server.introductions.map(\.version)) == [.five] && rig.log.has("see Version= under [Server]"))
    }

    @Test("a server that takes nothing that it has to acknowledge is none, and is asked slowly")
    func unacknowledged() throws {
        let rig = try BridgeRig()
        rig.server.maximumQoS = 0
        try rig.start().run(seconds: 50)
        #expect(rig.log.has("Maximum QoS 0") && rig.server.introductions.count == 1 && rig.server.published.isEmpty)
    }

    @Test("a server that allows no requests gets everything, and it is logged once")
    func noRequests() throws {
        let rig = try BridgeRig { $0.allowsRemoteInterval = true }
        rig.server.subscriptionReason = 0x87
        try rig.start().runUntilComplete()
        #expect(rig.log.count("does not allow a subscription") == 1 && rig.server.introductions.count == 1)
    }

    @Test("what is kept no longer is reported when it is asked for, and what is no request is nothing")
    func gone() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 5)
        let former = String(repeating: "0", count: 32)
        func request(_ from: String, _ to: String, _ resource: String = "location") -> String {
            #"{"resource":"\#(resource)","epoch":"\#(former)","from":\#(from),"to":\#(to)}"#
        }
        for text in [
            "", "no", String(repeating: "[", count: 500), request("0", "9"), request("3", "2"),
            request("3", "9223372036854775808"), request("3", "9", "nothing"),
        ] { rig.send("resend", text) }
        try rig.run(seconds: 5)
        #expect(rig.receiver.losses.isEmpty)
        rig.send("resend", request("3", "9"))
        try rig.runUntilComplete()
        #expect(rig.receiver.losses == ["gone": [3...9]])
    }

    @Test("a flood of requests costs a bounded share, disturbs nobody, and does not push out who lacks something")
    func flood() throws {
        let rig = try BridgeRig([("location", "100ms"), ("light", "100ms")]) { $0.backlogSpeed = 10 }
        try rig.start().run(seconds: 5)
        let (location, light) = (rig.receiver.epochs(of: "location")[0], rig.receiver.epochs(of: "light")[0])
        let (count, began) = (rig.receiver.messages.count, rig.now)
        for index in 0..<2_000 {
            let text = String(index, radix: 16)
            let unknown = String(repeating: "0", count: 32 - text.count) + text
            rig.send("resend", #"{"resource":"location","epoch":"\#(unknown)","from":1,"to":4611686018427387904}"#)
            rig.send("resend", #"{"resource":"light","epoch":"\#(light)","from":1,"to":\#(1 << 40 + index)}"#)
        }
        rig.send("resend", String(repeating: "x", count: 1 << 20))
        rig.ask("location", location, 3...5)
        try rig.run(seconds: 30)
        let seconds = Int((rig.now - began) / 1_000_000_000)
        for number in 3...5 as ClosedRange<UInt64> {
            #expect(rig.receiver.counts[.init(resource: "location", epoch: location, number: number)] == 2)
        }
        // What was reported gone is at most 16 at once, and one a second.
        #expect(Set(rig.receiver.losses.keys).isSubset(of: ["gone"]))
        #expect((rig.receiver.losses["gone"]?.count ?? 0) <= 16 + seconds)
        // What comes again is at most ten times as much as what is measured.
        #expect(rig.receiver.messages.count - count < 11 * 20 * seconds + 100)
        let live = rig.receiver.messages.filter { $0.resource == "location" && !$0.isLate }.map(\.message.number)
        #expect(live == live.sorted() && live.count >= 10 * seconds)
    }
}
