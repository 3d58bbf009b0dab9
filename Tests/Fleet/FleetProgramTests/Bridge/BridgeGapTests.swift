import Configuration
import Fleet
import Spool
import Testing

@testable import sensorbroker_mqtt

private let second: Int64 = 1_000_000_000

/// What was measured and not delivered lies in gaps that are reported, and no gap lies over what was delivered.
@Suite struct BridgeGapTests {
    /// Each 100 ms a reading of light, in batches, and a location.
    private func rig(batch: String = " batch 4s") throws -> BridgeRig {
        try BridgeRig([("light", "100ms\(batch)"), ("location", "1s")])
    }

    @Test(
        "the gap of a broker that dies begins after the last reading, not when that is noticed",
        arguments: ["", " batch 4s"])
    func brokerLost(batch: String) throws {
        let rig = try rig(batch: batch).start()
        try rig.run(seconds: 11.5)
        rig.broker.kill()
        try rig.run(seconds: 3)
        rig.broker.start()
        try rig.run(seconds: 10)
        rig.broker.kill()
        rig.broker.start()
        try rig.runUntilComplete()
        #expect(rig.receiver.gaps(of: "light").map(\.cause) == ["brokerLost", "brokerLost"])
        #expect(rig.faults().isEmpty && rig.faults("location", every: second).isEmpty)
    }

    @Test("a broker that comes back without readings ends its gap where the new stream begins")
    func silent() throws {
        let rig = try rig().start()
        try rig.run(seconds: 6)
        rig.broker.kill()
        rig.broker.isSilent = true
        rig.broker.start()
        try rig.run(seconds: 30)
        let gap = try #require(rig.receiver.gaps(of: "location").first)
        #expect(gap.until - gap.from < 3 * second && rig.faults().isEmpty)
        rig.broker.isSilent = false
        try rig.runUntilComplete()
        #expect(rig.receiver.gaps(of: "location").count == 1)
    }

    @Test("between two epochs there is a gap with its cause", arguments: ["stop", "kill"])
    func restarted(end: String) throws {
        let rig = try rig().start()
        try rig.run(seconds: 11.5)
        if end == "kill" { rig.kill() } else { try rig.stop() }
        try rig.run(seconds: 3)
        try rig.start().run(seconds: 10)
        try rig.runUntilComplete()
        let gaps = rig.receiver.gaps(of: "light")
        #expect(gaps.map(\.cause) == [end == "kill" ? "bridgeCrashed" : "bridgeRestarted"])
        #expect(rig.faults().isEmpty && rig.faults("location", every: second).isEmpty)
        let last = try #require(rig.receiver.samples(of: "light", in: rig.receiver.epochs(of: "light")[0]).last)
        #expect(gaps.first?.from == last + 1)
        // In the end, what the broker had gathered is fetched.
        #expect(end == "kill" || last > 1_011_300_000_000)
    }

    @Test("a stop of hours is one gap, also if the first start afterwards is a short one, and of a slow resource")
    func hours() throws {
        let rig = try BridgeRig([("location", "1h")]) { settings in
            settings.keepAcknowledged = .init(nanoseconds: 60 * second)
            settings.maximumBytes = 64 << 10
        }
        try rig.start().run(seconds: 7_300)
        try rig.stop()
        try rig.run(seconds: 7_200)
        try rig.start().run(seconds: 1)
        rig.kill()
        try rig.run(seconds: 60)
        try rig.start().run(seconds: 4_000)
        try rig.runUntilComplete()
        let gaps = rig.receiver.gaps(of: "location")
        #expect(gaps.count == 1 && gaps.first.map { $0.until - $0.from > 7_200 * second } == true)
        #expect(rig.faults("location", every: 3_600 * second).isEmpty, "\(gaps)")
    }

    @Test("the first start has no gap")
    func first() throws {
        let rig = try rig().start()
        try rig.runUntilComplete()
        #expect(rig.receiver.gaps(of: "light").isEmpty && rig.receiver.gaps(of: "location").isEmpty)
    }

    @Test("after a reboot the gap has two parts, each by its own clock", arguments: [true, false])
    func rebooted(isOnline: Bool) throws {
        let rig = try rig()
        if !isOnline {
            rig.server.set(.refusing)
            rig.stepMicroseconds = -1_790_000_000_000_000
        }
        try rig.start().run(seconds: 11.5)
        let end = rig.now
        let former = rig.boot
        rig.reboot(offSeconds: 100)
        rig.server.set(.open)
        try rig.start().run(seconds: 10)
        try rig.runUntilComplete()
        let epochs = rig.receiver.epochs(of: "light")
        let last = try #require(rig.receiver.samples(of: "light", in: epochs[0]).last)
        let began = try #require(rig.receiver.messages.first { $0.resource == "light" && $0.message.formerGap != nil })
        #expect(began.message.number == 1 && began.message.epoch == epochs[1])
        let gap = try #require(began.message.formerGap)
        #expect(gap.bootID == former && gap.gap == BridgeGap(.powerLoss, since: last))
        // When that boot ended follows from UTC, if that was set.
        let until = isOnline ? try #require(gap.until) : end
        #expect(until >= end && until - end <= 101 * second && (gap.until == nil) != isOnline)
        let here = try #require(rig.receiver.gaps(of: "light").first)
        let first = try #require(rig.receiver.samples(of: "light", in: epochs[1]).first)
        #expect(here.cause == "powerLoss" && here.from == 1 && here.until < first && here.until >= 5 * second)
    }

    @Test(
        "a clock that is years ahead and follows no reference does not say when a boot ended",
        arguments: [true, false])
    func rebootedAhead(isSynchronized: Bool) throws {
        let rig = try rig()
        try rig.start().run(seconds: 11.5)
        rig.reboot(offSeconds: 100)
        rig.stepMicroseconds += 20 * 366 * 86_400_000_000
        rig.isSynchronized = isSynchronized
        try rig.start().run(seconds: 10)
        try rig.runUntilComplete()
        let gap = try #require(rig.receiver.messages.compactMap(\.message.formerGap).first)
        #expect((gap.until == nil) != isSynchronized)
    }
}

extension BridgeRig {
    /// Where readings are missing between the first one and the last, and no gap has that; and readings inside of gaps.
    func faults(_ resource: String = "light", every interval: Int64 = 100_000_000) -> [String] {
        let samples = receiver.epochs(of: resource).flatMap { receiver.samples(of: resource, in: $0) }.sorted()
        let gaps = receiver.gaps(of: resource)
        let holes = zip(samples, samples.dropFirst()).filter { before, after in
            after - before > interval && !gaps.contains { $0.from <= before + 1 && after - interval <= $0.until }
        }
        let inside = samples.filter { sample in gaps.contains { $0.from <= sample && sample <= $0.until } }
        return holes.map { "hole after \($0)" } + inside.map { "\($0) is in a gap" }
    }
}
