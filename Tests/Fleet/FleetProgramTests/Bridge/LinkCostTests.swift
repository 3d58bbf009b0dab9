import Configuration
import Fleet
import Spool
import TestTools
import Testing

@testable import sensorbroker_mqtt

/// A link that costs: by the byte, by the day, or by each time that the radio wakes up.
@Suite struct LinkCostTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a day's budget is kept over restarts, the important leaves at once, the rest waits, and nothing is lost")
    func budget() throws {
        let limit = 150 << 10
        let rig = try BridgeRig([("location", "300s priority high"), ("light", "60s")]) { settings in
            settings.dailyBytes = limit
            settings.sync = TimeSpan(nanoseconds: 60 * Self.second)
        }
        var spent: [Int64: Int] = [:]
        rig.server.answer = { [unowned rig] topic, payload in
            spent[rig.moment.utcMicroseconds / 86_400_000_000, default: 0] += topic.utf8.count + payload.count
            return .reason(0)
        }
        try rig.start().run(seconds: 10_000)
        try rig.stop()
        try rig.start().run(seconds: 110_000)
        #expect(spent.count >= 2 && spent.values.allSatisfy { $0 <= limit + 4_096 }, "\(spent)")
        #expect(rig.bridge?.summary.contains("are sent, the rest waits") == true, "\(rig.bridge?.summary ?? "")")
        let location = rig.receiver.messages.filter { $0.resource == "location" }
        #expect(location.count(where: \.isLate) < location.count / 20)
        #expect(rig.receiver.messages.contains { $0.resource == "light" && $0.isLate })
        // The link costs nothing any more.
        try rig.stop()
        rig.settings.dailyBytes = nil
        try rig.start().runUntilComplete(within: 3_600)
        #expect(rig.receiver.losses.isEmpty && !rig.receiver.hasContradiction)
    }

    @Test("what is left waits while the link costs, and what is new goes on")
    func condition() throws {
        let rig = try BridgeRig([("location", "1s")])
        let isFree = try TemporaryDirectory()
        let path = "\(isFree.path)/free"
        rig.settings.backlogCondition = try PathCondition(parsing: path)
        rig.server.set(.refusing)
        try rig.start().run(seconds: 120)
        rig.server.set(.open)
        try rig.run(seconds: 120)
        #expect(!rig.receiver.messages.contains { $0.isLate } && rig.receiver.messages.count > 60)
        #expect(rig.bridge?.summary.contains("what is left waits for \(path)") == true)
        isFree.write("", to: "free")
        try rig.runUntilComplete()
        #expect(rig.receiver.messages.contains { $0.isLate } && rig.receiver.losses.isEmpty)
    }

    @Test("while what is left waits, a stream without subscribers is tried by what is new, until it has one")
    func noSubscribers() throws {
        let rig = try BridgeRig([("location", "1s")])
        rig.settings.backlogCondition = try PathCondition(parsing: "/nonexistent/free")
        rig.server.answer = { _, _ in .reason(0x10) }
        try rig.start().run(seconds: 60)
        rig.server.answer = { _, _ in .reason(0) }
        try rig.run(seconds: 90)
        #expect(rig.receiver.messages.count > 50 && !rig.receiver.messages.contains { $0.isLate })
    }

    @Test("messages that leave together take a fraction of packets and bytes, come at their time, and none is lost")
    func bundles() throws {
        var packets: [Bool: Int] = [:], bytes: [Bool: Int] = [:], wakes: [Bool: Int] = [:]
        for isBundled in [false, true] {
            let rig = try BridgeRig([("location", "1s"), ("light", "1s")]) { settings in
                settings.bundle = isBundled ? TimeSpan(nanoseconds: 30 * Self.second) : nil
                settings.sync = TimeSpan(nanoseconds: 30 * Self.second)
            }
            try rig.start().run(seconds: 60)
            var last: Int64 = 0
            rig.server.answer = { [unowned rig] topic, payload in
                packets[isBundled, default: 0] += 1
                bytes[isBundled, default: 0] += topic.utf8.count + payload.count
                if rig.now - last > Self.second / 2 { wakes[isBundled, default: 0] += 1 }
                last = rig.now
                return .reason(0)
            }
            try rig.run(seconds: 600)
            rig.server.answer = { _, _ in .reason(0) }
            try rig.runUntilComplete()
            // Some were there before the connection.
            #expect(!rig.receiver.messages.contains { $0.isLate && $0.message.number > 5 })
            #expect(rig.receiver.losses.isEmpty)
            let numbers = rig.receiver.messages.filter { $0.resource == "location" }.map(\.message.number)
            #expect(numbers == numbers.sorted() && numbers.count >= 600)
        }
        #expect(try #require(wakes[true]) <= 21 && #require(wakes[false]) >= 590)
        #expect(try #require(packets[true]) <= 65 && #require(packets[false]) >= 1_200)
        #expect(try #require(bytes[true]) * 4 < #require(bytes[false]))
    }

    @Test("bundles keep their times, and the status its own, however often the server goes and comes")
    func flapping() throws {
        for (bundle, pause) in [(30, 7), (30, 41), (60, 7), (60, 41)] as [(Int64, Double)] {
            let rig = try BridgeRig([("location", "1s")]) { settings in
                settings.bundle = TimeSpan(nanoseconds: bundle * Self.second)
                settings.sync = TimeSpan(nanoseconds: 30 * Self.second)
            }
            try rig.start().run(seconds: 40)
            for _ in 0..<5 {
                try rig.runWithoutServer(seconds: 1)
                try rig.run(seconds: pause)
            }
            let (messages, reports) = (rig.receiver.messages.count, rig.receiver.reports.count)
            try rig.run(seconds: Double(2 * bundle + 5))
            #expect(rig.receiver.messages.count >= messages + Int(bundle))
            #expect((2...7).contains(rig.receiver.reports.count - reports))
            try rig.runUntilComplete()
            #expect(rig.receiver.losses.isEmpty)
        }
    }

    @Test("bundles survive servers that come and go, and kills")
    func bundledChaos() throws {
        let rig = try BridgeRig([("location", "500ms"), ("light", "1s")]) { settings in
            settings.bundle = TimeSpan(nanoseconds: 7 * Self.second)
        }
        try rig.start().run(seconds: 100)
        for round in 0..<4 {
            try rig.runWithoutServer(seconds: 40)
            try rig.run(seconds: 50)
            if round == 2 {
                rig.kill()
                try rig.start()
            }
        }
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty && !rig.receiver.hasContradiction)
    }
}
