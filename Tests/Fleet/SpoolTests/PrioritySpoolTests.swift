import Testing

@testable import Spool

private let second: Int64 = 1_000_000_000

/// A spool of some streams on a modelled disk, and a consumer who keeps what it is given.
private final class PriorityRig {
    var spool: PrioritySpool
    let ledger: Ledger
    private(set) var now = Moment(bootNanoseconds: second, utcMicroseconds: 1_790_000_000_000_000)
    private let names: [String]

    init(
        _ disk: ModelDisk, _ streams: [SpoolStream], epoch: UInt64 = 1, bytes: Int = 64 << 10, ledger: Ledger = Ledger()
    ) throws {
        self.ledger = ledger
        names = streams.map(\.name)
        spool = try PrioritySpool(
            disk, streams: streams, epoch: Identity(utcMicroseconds: Int64(epoch), random: (epoch, epoch)),
            bootID: Identity(utcMicroseconds: 9, random: (epoch, 0)),
            limits: SpoolLimits(maximumBytes: bytes, maximumAgeNanoseconds: .max, acknowledgedNanoseconds: .max))
    }

    @discardableResult func add(_ text: String, to name: String) -> UInt64? {
        now.bootNanoseconds += second / 10
        now.utcMicroseconds += 100_000
        guard let stream = spool.streams.firstIndex(of: name) else { return nil }
        let epoch = spool.epoch
        return spool.append(.members, to: stream, at: now) { number in
            ledger.write(Ledger.Key(epoch: epoch, stream: name), number, text)
            return Array(text.utf8)
        }
    }

    /// Delivers what is not acknowledged, as the queue does: the serials in the order in which they leave.
    @discardableResult func deliver(most: Int = .max, acknowledging: Bool = true) -> [UInt64] {
        spool.reportLosses(now)
        var serials: [UInt64] = []
        for lane in spool.lanes {
            var serial = spool.firstUnacknowledged(from: lane.lowerBound)
            while serial < lane.upperBound, serials.count < most {
                if let message = spool.message(at: serial) {
                    ledger.take(message)
                    serials.append(serial)
                    if acknowledging { spool.acknowledge(serial) }
                }
                serial = spool.firstUnacknowledged(from: serial + 1)
            }
        }
        return serials
    }

    /// All numbers so far are to be known from now on, whatever happens.
    func sync() {
        spool.reportLosses(now)
        spool.sync()
        for (index, name) in spool.streams.enumerated() {
            ledger.promise(Ledger.Key(epoch: spool.epoch, stream: name), spool.nextNumber(of: index) - 1)
        }
    }

    func close() { spool.close(now) }
}

/// What was written, what of it a consumer has or was reported lost, and what may not be missing.
private final class Ledger {
    struct Key: Hashable {
        let epoch: Identity
        let stream: String
    }

    private var texts: [Key: [UInt64: String]] = [:]
    private var arrived: [Key: NumberSet] = [:]
    private(set) var lost: [Key: NumberSet] = [:]
    private(set) var causes: Set<Loss.Cause> = []
    private var promised: [Key: UInt64] = [:]
    private(set) var contradictions: [String] = []

    func write(_ key: Key, _ number: UInt64, _ text: String) { texts[key, default: [:]][number] = text }

    func promise(_ key: Key, _ last: UInt64) { if last > 0 { promised[key] = last } }

    /// The last number of a stream that may not be missing.
    func promised(_ epoch: Identity, _ stream: String) -> UInt64 { promised[Key(epoch: epoch, stream: stream)] ?? 0 }

    func take(_ spooled: SpooledMessage) {
        let key = Key(epoch: spooled.epoch, stream: spooled.stream)
        arrived[key, default: NumberSet()].insert(spooled.message.numbers)
        if case .loss(let loss) = spooled.message.form {
            lost[Key(epoch: loss.epoch, stream: spooled.stream), default: NumberSet()].insert(loss.numbers)
            causes.insert(loss.cause)
            // A number is a message or a loss, never both: what it is may not change.
            let text = "\(loss.epoch) \(loss.numbers) \(loss.cause)"
            write(key, spooled.message.number, texts[key]?[spooled.message.number] ?? text)
            if texts[key]?[spooled.message.number] != text {
                contradictions.append(
                    "\(key.epoch) \(key.stream) \(spooled.message.number): \(text), not \(texts[key]?[spooled.message.number] ?? "")"
                )
            }
        } else if texts[key]?[spooled.message.number] != String(decoding: spooled.message.payload, as: UTF8.self) {
            contradictions.append("\(key.epoch) \(key.stream) \(spooled.message.number)")
        }
    }

    /// What may not be missing, and is neither there nor reported.
    var unreported: [String] {
        promised.flatMap { key, last in
            (1...last).filter {
                arrived[key]?.contains($0) != true && lost[key]?.contains($0) != true
            }.map { "\(key.epoch) \(key.stream) \($0)" }
        }.sorted()
    }

    func count(_ stream: String) -> Int {
        arrived.filter { $0.key.stream == stream }.values.reduce(0) { $0 + $1.ranges.reduce(0) { $0 + $1.count } }
    }

    func isLost(_ stream: String) -> Bool { lost.contains { $0.key.stream == stream } }
}

@Suite struct PrioritySpoolTests {
    private static let streams = [
        SpoolStream("accelerometer", priority: .low), SpoolStream("location", priority: .high), SpoolStream("light"),
    ]

    @Test("without priorities the files are as they always were, in both directions")
    func plain() throws {
        let disk = ModelDisk()
        let plain = ["location", "light"].map { SpoolStream($0) }
        let rig = try PriorityRig(disk, plain)
        rig.add("one", to: "location")
        rig.close()
        #expect(disk.files.keys.allSatisfy { Segment.ordinal($0) != nil })
        let old = try Spool(
            disk, streams: ["location"], epoch: Identity(utcMicroseconds: 2, random: (2, 2)),
            bootID: Identity(utcMicroseconds: 9, random: (1, 0)),
            limits: SpoolLimits(maximumBytes: 1 << 20, maximumAgeNanoseconds: .max, acknowledgedNanoseconds: .max))
        #expect(old.recovery.epoch == rig.spool.epoch && old.recovery.last["location"] == 1 && old.recovery.hasEnd)
        let next = try PriorityRig(disk, Self.streams, epoch: 3, ledger: rig.ledger)
        #expect(next.spool.recovery(of: "location").last["location"] == 1 && next.spool.recovery.hasEnd)
        #expect(next.deliver().count == 1 && rig.ledger.contradictions.isEmpty)
    }

    @Test("a stream that changed its chain, was left out and comes back, goes on after the newest epoch that it had")
    func leftOut() throws {
        let disk = ModelDisk()
        let (own, low, tilt) = (
            SpoolStream("location", percent: 30), SpoolStream("location", priority: .low),
            SpoolStream("tilt", priority: .low)
        )
        for (epoch, streams) in [[own], [low], [tilt]].enumerated() {
            let rig = try PriorityRig(disk, streams + [SpoolStream("light")], epoch: UInt64(epoch) + 1)
            rig.add("one", to: streams[0].name)
            rig.add("another", to: "light")
            rig.close()
        }
        let rig = try PriorityRig(disk, [low, SpoolStream("light")], epoch: 4)
        let end = try #require(rig.spool.recovery(of: "location").end(of: "location"))
        #expect(end.epoch == Identity(utcMicroseconds: 2, random: (2, 2)) && end.last == 1 && !end.isUnknown)
    }

    @Test("when the spool is full, what has a lower priority goes first, and each of its numbers is reported")
    func priorities() throws {
        let rig = try PriorityRig(ModelDisk(), Self.streams)
        for index in 0..<2_000 {
            rig.add("a\(index)" + String(repeating: "x", count: 200), to: "accelerometer")
            if index % 20 == 0 { rig.add("g\(index)" + String(repeating: "y", count: 100), to: "location") }
            if index % 50 == 0 { rig.add("l\(index)" + String(repeating: "z", count: 100), to: "light") }
            #expect(rig.spool.bytes <= 66 << 10)
        }
        rig.sync()
        let serials = rig.deliver()
        #expect(serials == serials.sorted() && rig.spool.priorities == [.high, .normal, .low])
        #expect(rig.ledger.count("location") == 100 && rig.ledger.count("light") == 40)
        #expect(rig.ledger.isLost("accelerometer") && !rig.ledger.isLost("location") && !rig.ledger.isLost("light"))
        #expect(rig.ledger.unreported.isEmpty && rig.ledger.causes == [.evicted] && rig.ledger.contradictions.isEmpty)
    }

    @Test("what has the highest priority goes too, once there is nothing else, and is reported")
    func onlyHigh() throws {
        let rig = try PriorityRig(ModelDisk(), Self.streams)
        for index in 0..<200 { rig.add("a\(index)" + String(repeating: "x", count: 100), to: "accelerometer") }
        for index in 0..<2_000 { rig.add("g\(index)" + String(repeating: "y", count: 100), to: "location") }
        rig.sync()
        rig.deliver()
        #expect(rig.ledger.isLost("location") && rig.ledger.unreported.isEmpty && rig.spool.bytes <= 66 << 10)
    }

    @Test("a stream with a share takes no more, and the others are not touched")
    func quota() throws {
        let disk = ModelDisk()
        let streams = [SpoolStream("location"), SpoolStream("accelerometer", percent: 25)]
        let rig = try PriorityRig(disk, streams, bytes: 256 << 10)
        for index in 0..<2_000 {
            rig.add("a\(index)" + String(repeating: "x", count: 200), to: "accelerometer")
            if index % 20 == 0 { rig.add("g\(index)" + String(repeating: "y", count: 100), to: "location") }
            if index % 40 == 0 { rig.sync() }
        }
        let taken = disk.files.filter { $0.key.hasPrefix("stream.accelerometer-") }.reduce(0) { $0 + $1.value.count }
        #expect((32 << 10...80 << 10).contains(taken))
        rig.sync()
        rig.deliver()
        #expect(rig.ledger.count("location") == 100 && rig.ledger.isLost("accelerometer"))
        #expect(!rig.ledger.isLost("location") && rig.ledger.unreported.isEmpty)
    }

    @Test("what has arrived goes before anything that has not, whatever its priority")
    func spentFirst() throws {
        let rig = try PriorityRig(ModelDisk(), Self.streams)
        for index in 0..<150 { rig.add("g\(index)" + String(repeating: "y", count: 100), to: "location") }
        rig.deliver()
        for index in 0..<150 { rig.add("a\(index)" + String(repeating: "x", count: 200), to: "accelerometer") }
        rig.sync()
        rig.deliver()
        #expect(rig.ledger.lost.isEmpty && rig.ledger.count("accelerometer") == 150)
    }

    @Test("on a full disk, what has arrived makes room, in whatever chain it is")
    func fullDisk() throws {
        let disk = ModelDisk()
        let rig = try PriorityRig(disk, Self.streams, bytes: 1 << 20)
        for index in 0..<1_000 { rig.add("a\(index)" + String(repeating: "x", count: 100), to: "accelerometer") }
        rig.deliver()
        rig.sync()
        disk.capacity = disk.used
        for index in 0..<100 { rig.add("g\(index)" + String(repeating: "y", count: 100), to: "location") }
        rig.sync()
        rig.deliver()
        #expect(rig.ledger.count("location") >= 99 && rig.ledger.unreported.isEmpty)
        #expect(rig.ledger.causes == [.diskFull])
    }

    @Test("what was asked for again is found in whatever chain it lies, and what is gone is known")
    func found() throws {
        let disk = ModelDisk()
        let rig = try PriorityRig(disk, Self.streams, bytes: 1 << 20)
        for index in 0..<20 { for stream in Self.streams { rig.add("m\(index)", to: stream.name) } }
        rig.close()
        let former = rig.spool.epoch
        let next = try PriorityRig(
            disk, [SpoolStream("location"), SpoolStream("light", priority: .high)], epoch: 2, ledger: rig.ledger)
        for stream in Self.streams {
            let found = next.spool.find(3...25, of: stream.name, epoch: former, most: 100)
            #expect(found.serials.count == 18 && found.gone.isEmpty && found.rest == 21...25)
            for serial in found.serials { #expect(next.spool.message(at: serial)?.stream == stream.name) }
        }
        #expect(next.spool.find(1...3, of: "light", epoch: next.spool.epoch, most: 9).gone == [1...3])
    }

    @Test(
        "power cuts, evictions and other priorities at each start: what was synced is there or reported, and nothing twice",
        arguments: 0..<30)
    func powerCuts(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed) + 3)
        var disk = ModelDisk()
        let ledger = Ledger()
        var former: [String: (epoch: Identity, last: UInt64)] = [:]
        for epoch in 1...6 {
            let streams = ["location", "light", "accelerometer", "pressure"].filter { _ in dice.below(8) > 0 }.map {
                SpoolStream(
                    $0, priority: Priority.allCases[dice.below(3)],
                    percent: dice.below(4) == 0 ? 10 + dice.below(40) : nil)
            }
            let rig = try PriorityRig(disk, streams, epoch: UInt64(epoch), bytes: 64 << 10, ledger: ledger)
            for stream in streams {
                // Where its former epoch ended, of which at least this was promised.
                guard let before = former[stream.name] else { continue }
                let recovery = rig.spool.recovery(of: stream.name)
                #expect(
                    recovery.epoch == before.epoch && recovery.last[stream.name] ?? 0 >= before.last,
                    "\(epoch) \(stream): \(recovery), \(before)")
            }
            for stream in streams { rig.add("began \(epoch)", to: stream.name) }
            rig.sync()
            for index in 0..<dice.below(700) where !streams.isEmpty {
                let stream = streams[dice.below(streams.count)].name
                rig.add("\(epoch)-\(index)-" + String(repeating: "y", count: dice.below(300)), to: stream)
                if dice.below(30) == 0 { rig.sync() }
                if dice.below(40) == 0 { rig.deliver(most: dice.below(60), acknowledging: dice.isHeads) }
            }
            if dice.below(3) == 0 {
                rig.sync()
                rig.close()
            }
            former = [:]
            for stream in streams {
                former[stream.name] = (rig.spool.epoch, ledger.promised(rig.spool.epoch, stream.name))
            }
            disk = disk.afterPowerCut(&dice)
        }
        let rig = try PriorityRig(disk, [SpoolStream("location")], epoch: 99, bytes: 1 << 20, ledger: ledger)
        rig.add("end", to: "location")
        rig.deliver()
        #expect(ledger.unreported.isEmpty, "\(ledger.unreported.prefix(5)) of \(ledger.unreported.count)")
        #expect(ledger.contradictions.isEmpty, "\(ledger.contradictions.prefix(5))")
    }
}
