import Testing

@testable import Spool

private let bootID = Identity(text: "00000000-1111-2222-3333-444444444444")
private let nextBootID = Identity(text: "99999999-1111-2222-3333-444444444444")
private let second: Int64 = 1_000_000_000

/// A spool with two streams on a modelled disk.
final class Rig {
    var spool: Spool
    var now = Moment(bootNanoseconds: second, utcMicroseconds: 1_790_000_000_000_000)

    init(
        _ disk: ModelDisk, epoch: UInt64 = 1, bytes: Int = 1 << 20, age: Int64 = .max, kept: Int64 = .max,
        boot: Identity? = bootID
    ) throws {
        spool = try Spool(
            disk, streams: ["location", "light"],
            epoch: Identity(utcMicroseconds: Int64(epoch), random: (epoch, epoch)), bootID: try #require(boot),
            limits: SpoolLimits(maximumBytes: bytes, maximumAgeNanoseconds: age, acknowledgedNanoseconds: kept))
    }

    @discardableResult func add(_ text: String, to stream: Int = 0) -> UInt64? {
        now.bootNanoseconds += second
        now.utcMicroseconds += 1_000_000
        return spool.append(.members, to: stream, at: now) { _ in Array(text.utf8) }
    }

    func text(at serial: UInt64) -> String? {
        spool.message(at: serial).map { String(decoding: $0.message.payload, as: UTF8.self) }
    }

    func message(at serial: UInt64) -> SpooledMessage? { spool.message(at: serial) }

    /// All losses that the spool reports, by stream.
    func losses() -> [(stream: String, loss: Loss)] {
        spool.reportLosses(now)
        return (spool.first..<spool.end).compactMap { serial in
            guard let message = spool.message(at: serial), case .loss(let loss) = message.message.form else {
                return nil
            }
            return (message.stream, loss)
        }
    }

    /// Each number is in the spool, or was acknowledged, or is reported lost by what is in the spool.
    func expectComplete(last: [String: UInt64], wasAcknowledged: (String, UInt64) -> Bool = { _, _ in false }) {
        var known: [String: NumberSet] = [:]
        for (stream, loss) in losses() { known[stream, default: NumberSet()].insert(loss.numbers) }
        for serial in spool.first..<spool.end {
            guard let message = message(at: serial) else { continue }
            known[message.stream, default: NumberSet()].insert(message.message.numbers)
        }
        for (stream, end) in last {
            let missing = (1...end).filter { !wasAcknowledged(stream, $0) && known[stream]?.contains($0) != true }
            #expect(missing.isEmpty, "\(stream) \(missing.prefix(5))")
        }
    }
}

@Suite struct SpoolTests {
    @Test("messages come back in their order, with numbers of their stream")
    func order() throws {
        let rig = try Rig(ModelDisk())
        for index in 0..<100 { #expect(rig.add("m\(index)", to: index % 2) == UInt64(index + 1)) }
        for index in 0..<100 {
            let found = rig.message(at: UInt64(index + 1))
            let message = try #require(found)
            #expect(message.message.number == UInt64(index / 2 + 1))
            #expect(message.stream == ["location", "light"][index % 2])
            #expect(String(decoding: message.message.payload, as: UTF8.self) == "m\(index)")
        }
        #expect(rig.message(at: 101) == nil && rig.message(at: 0) == nil)
    }

    @Test("the next process finds what was left, knows what is acknowledged, and counts on in a new epoch")
    func reopened() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        for index in 0..<10 { rig.add("m\(index)") }
        for serial: UInt64 in [1, 2, 3, 7] { rig.spool.acknowledge(serial) }
        rig.spool.close(rig.now)
        let next = try Rig(disk, epoch: 2)
        #expect(next.spool.recovery.hasEnd && next.spool.recovery.last["location"] == 10)
        #expect(next.spool.recovery.epoch == rig.spool.epoch)
        #expect((1...10).filter { !next.spool.isAcknowledged($0) } == [4, 5, 6, 8, 9, 10])
        #expect(next.text(at: 5) == "m4")
        #expect(next.add("new") == 11)
        #expect(next.message(at: 11)?.message.number == 1)
        #expect(next.spool.backlog == 7)
        #expect(next.losses().isEmpty)
    }

    @Test("a program that was killed has no end in its spool")
    func killed() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        rig.add("one")
        #expect(try !Rig(disk, epoch: 2).spool.recovery.hasEnd)
    }

    @Test("what was evicted is reported with its numbers, and what has arrived is not")
    func eviction() throws {
        let rig = try Rig(ModelDisk(), bytes: 64 << 10)
        var arrived = NumberSet()
        for index in 0..<2_000 {
            guard let serial = rig.add(String(repeating: "x", count: 100), to: index % 2) else { continue }
            guard index % 4 == 0 else { continue }
            rig.spool.acknowledge(serial)
            arrived.insert(rig.spool.nextNumber(of: 0) - 1)
        }
        #expect(rig.spool.bytes <= 64 << 10)
        let losses = rig.losses()
        #expect(!losses.isEmpty && losses.allSatisfy { $0.loss.cause == .evicted })
        rig.expectComplete(last: ["location": 1_000, "light": 1_000]) { stream, number in
            stream == "location" && arrived.contains(number)
        }
    }

    @Test("losses that are lost themselves are reported again, and stay few")
    func lossesOfLosses() throws {
        let rig = try Rig(ModelDisk(), bytes: 32 << 10)
        for _ in 0..<20_000 { rig.add(String(repeating: "x", count: 100)) }
        let losses = rig.losses()
        let newest = try #require(losses.last)
        #expect(newest.loss.numbers.lowerBound == 1)
        #expect(losses.count < 40)
        rig.expectComplete(last: ["location": 20_000])
    }

    @Test("what is too old goes and is reported; what has arrived is kept for as long as it was promised")
    func age() throws {
        let rig = try Rig(ModelDisk(), bytes: 1 << 20, age: 3_600 * second, kept: 60 * second)
        for _ in 0..<6_000 { rig.add(String(repeating: "x", count: 100)) }
        rig.spool.trim(rig.now)
        #expect(rig.spool.first > 1)
        for serial in rig.spool.first..<rig.spool.end - 600 { rig.spool.acknowledge(serial) }
        let before = rig.spool.first
        rig.spool.trim(rig.now)
        #expect(rig.spool.first > before)
        // Each loss reported so far is of age.
        #expect(rig.losses().allSatisfy { $0.loss.cause == .expired })
    }

    @Test(
        "what a clock stamped in a former boot is not older because one without a reference says so",
        arguments: [(false, true), (false, false), (true, true), (true, false), (nil, true)] as [(Bool?, Bool?)])
    func ageByAClockThatWasSet(then: Bool?, since: Bool?) throws {
        let isOld = then != false && since == true
        let disk = ModelDisk()
        let rig = try Rig(disk)
        rig.now.isSynchronized = then
        rig.add("before")
        let next = try Rig(disk, epoch: 2, age: 3_600 * second, boot: nextBootID)
        next.now.utcMicroseconds += 100 * 86_400_000_000
        next.now.isSynchronized = since
        next.add("after")
        next.spool.trim(next.now)
        #expect(next.losses().contains { $0.loss.cause == .expired } == isOld)
        #expect((next.text(at: 1) == nil) == isOld)
    }

    @Test("without a reference, what is of former boots ages by the clock up to the last one, and by this boot's time")
    func ageWithoutAReference() throws {
        let disk = ModelDisk()
        func boot(_ epoch: UInt64, _ identity: Identity?, afterDays days: Int64, isSynchronized: Bool) throws -> Rig {
            let rig = try Rig(disk, epoch: epoch, age: 86_400 * second, boot: identity)
            rig.now.utcMicroseconds += days * 86_400_000_000
            rig.now.isSynchronized = isSynchronized
            rig.add("of boot \(epoch)")
            return rig
        }
        _ = try boot(1, bootID, afterDays: 0, isSynchronized: true)
        _ = try boot(2, nextBootID, afterDays: 2, isSynchronized: true)
        // Nor is it older by the stamps of a boot whose clock was ahead.
        _ = try boot(3, Identity(text: "33333333-1111-2222-3333-444444444444"), afterDays: 9_000, isSynchronized: false)
        let last = try boot(
            4, Identity(text: "44444444-1111-2222-3333-444444444444"), afterDays: 9_001, isSynchronized: false)
        last.spool.trim(last.now)
        #expect((1...4).map { last.text(at: $0) != nil } == [false, true, true, true])
        last.now.bootNanoseconds += 86_400 * second
        last.spool.trim(last.now)
        #expect(last.text(at: 2) == nil && last.text(at: 3) != nil)
    }

    @Test("a full disk keeps whole records, and what it did not take is reported once there is room")
    func full() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        for _ in 0..<10 { rig.add("before") }
        disk.capacity = disk.used
        for _ in 0..<5 { #expect(rig.add("none") == nil) }
        #expect(rig.spool.failure?.isFull == true)
        disk.capacity = nil
        #expect(rig.add("after") != nil && rig.spool.failure == nil)
        let losses = rig.losses()
        #expect(losses.map(\.loss.numbers) == [11...15] && losses.first?.loss.cause == .diskFull)
        rig.expectComplete(last: ["location": 16])
    }

    @Test("on a full disk what has arrived makes room")
    func fullOfArrived() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk, bytes: 64 << 10)
        for _ in 0..<300 { rig.add(String(repeating: "x", count: 100)) }
        for serial in 1..<rig.spool.end { rig.spool.acknowledge(serial) }
        disk.capacity = disk.used
        for _ in 0..<100 { #expect(rig.add("more") != nil) }
        #expect(rig.losses().isEmpty)
    }

    @Test("what was asked for again is found by its numbers, and what is gone is known")
    func serials() throws {
        let rig = try Rig(ModelDisk(), bytes: 32 << 10)
        for index in 0..<400 { rig.add(String(repeating: "x", count: 100), to: index % 2) }
        let oldest = try #require(rig.spool.oldestNumber(of: 0))
        #expect(oldest > 1)
        let epoch = rig.spool.epoch
        let found = rig.spool.find(oldest - 5...oldest + 5, of: "location", epoch: epoch, most: 100)
        #expect(found.serials.count == 6 && found.gone == [oldest - 5...oldest - 1] && found.rest == nil)
        let cut = rig.spool.find(oldest...oldest + 50, of: "location", epoch: epoch, most: 10)
        #expect(cut.serials.count == 10 && cut.gone.isEmpty && cut.rest == oldest + 10...oldest + 50)
        #expect(rig.spool.find(1...3, of: "pressure", epoch: epoch, most: 9).gone == [1...3])
        // One segment at a time, however many there are.
        var (rest, serials, gone): (ClosedRange<UInt64>?, [UInt64], [ClosedRange<UInt64>]) = (1...1_000, [], [])
        var calls = 0
        while let wanted = rest {
            let part = rig.spool.find(wanted, of: "location", epoch: epoch, most: 1_000)
            #expect(part.serials.count < 30)
            (rest, serials, gone, calls) = (part.rest, serials + part.serials, gone + part.gone, calls + 1)
        }
        let next = rig.spool.nextNumber(of: 0)
        #expect(UInt64(serials.count) == next - oldest && gone == [1...oldest - 1, next...1_000] && calls > 5)
    }

    @Test("a group has as many numbers as objects")
    func groups() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        rig.add("one")
        _ = rig.spool.append(.group, to: 0, count: 5, at: rig.now) { number in
            #expect(number == 2)
            return [1, 2, 3]
        }
        rig.add("seven")
        #expect(rig.message(at: 2)?.message.numbers == 2...6)
        #expect(rig.message(at: 3)?.message.number == 7)
        #expect(try Rig(disk, epoch: 2).spool.recovery.last["location"] == 7)
    }

    @Test("bytes that go bad under the running program are reported too", arguments: 0..<40)
    func badWhileRunning(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let disk = ModelDisk()
        let rig = try Rig(disk, bytes: 32 << 10)
        for index in 0..<150 { rig.add("m\(index)" + String(repeating: "x", count: 80), to: index % 2) }
        for _ in 0..<3 { disk.flip(&dice) }
        var read = NumberSet()
        for serial in rig.spool.first..<rig.spool.end where rig.message(at: serial) != nil { read.insert(serial) }
        rig.add("new")
        // The newest was in memory until now.
        for serial in rig.spool.first..<rig.spool.end { _ = rig.message(at: serial) }
        rig.add("newer")
        var known: [String: NumberSet] = [:]
        for serial in rig.spool.first..<rig.spool.end {
            guard let message = rig.message(at: serial) else { continue }
            known[message.stream, default: NumberSet()].insert(message.message.numbers)
            if case .loss(let loss) = message.message.form {
                known[message.stream, default: NumberSet()].insert(loss.numbers)
            }
        }
        for stream in ["location", "light"] {
            let missing = (1...75).filter { known[stream]?.contains(UInt64($0)) != true }
            #expect(missing.isEmpty, "\(stream): \(missing)")
        }
    }

    @Test(
        "after a power cut all that was synced is there, nothing comes twice, and holes are reported", arguments: 0..<60
    )
    func powerCut(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed) + 1)
        var disk = ModelDisk()
        var synced: [String: [String: UInt64]] = [:]
        var texts: [String: String] = [:]
        for epoch in 1...5 {
            let rig = try Rig(
                disk, epoch: UInt64(epoch), bytes: 256 << 10,
                boot: Identity(utcMicroseconds: 9, random: (UInt64(epoch), 0)))
            let name = rig.spool.epoch.description
            for index in 0..<dice.below(400) {
                let stream = dice.below(2)
                let text = "\(epoch)-\(index)-" + String(repeating: "y", count: dice.below(300))
                let number = rig.spool.nextNumber(of: stream)
                rig.add(text, to: stream)
                texts[
                    "\(name) \(rig.spool.streams[stream]) \(rig.message(at: rig.spool.end - 1)?.message.number ?? 0)"
                ] = text
                #expect(rig.spool.nextNumber(of: stream) > number)
                if dice.below(30) == 0 {
                    rig.spool.sync()
                    synced[name] = [
                        "location": rig.spool.nextNumber(of: 0) - 1, "light": rig.spool.nextNumber(of: 1) - 1,
                    ]
                }
            }
            disk = disk.afterPowerCut(&dice)
        }
        let rig = try Rig(disk, epoch: 99, bytes: 256 << 10)
        #expect(!rig.spool.recovery.hasEnd)
        rig.add("end")
        rig.spool.reportLosses(rig.now)
        var known: [String: NumberSet] = [:]
        for serial in rig.spool.first..<rig.spool.end {
            guard let spooled = rig.message(at: serial) else { continue }
            let key = "\(spooled.epoch) \(spooled.stream)"
            #expect(known[key]?.contains(spooled.message.number) != true, "twice: \(key)")
            known[key, default: NumberSet()].insert(spooled.message.numbers)
            if case .loss(let loss) = spooled.message.form {
                known["\(loss.epoch) \(spooled.stream)", default: NumberSet()].insert(loss.numbers)
            } else if spooled.epoch != rig.spool.epoch {
                #expect(
                    texts["\(key) \(spooled.message.number)"]
                        == String(decoding: spooled.message.payload, as: UTF8.self))
            }
        }
        for (epoch, last) in synced {
            for (stream, end) in last where end > 0 {
                let missing = (1...end).filter { known["\(epoch) \(stream)"]?.contains($0) != true }
                #expect(missing.isEmpty, "\(epoch) \(stream): \(missing.prefix(5)) of \(end)")
            }
        }
    }

    @Test("whatever the bytes are, a spool opens, takes a message and returns it", arguments: 0..<100)
    func hostileBytes(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed) + 7)
        let disk = ModelDisk()
        let rig = try Rig(disk, bytes: 32 << 10)
        for index in 0..<60 { rig.add("m\(index)", to: index % 2) }
        rig.spool.lose(Loss(epoch: rig.spool.epoch, numbers: 900...950, cause: .gone), of: "location")
        rig.spool.acknowledge(3)
        rig.spool.close(rig.now)
        disk.mutate { bytes in
            for _ in 0..<dice.below(6) where !bytes.isEmpty {
                let index = dice.below(bytes.count)
                switch dice.below(5) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: dice.next())
                case 1: bytes.removeSubrange(index..<min(bytes.count, index + dice.below(50)))
                case 2: bytes.insert(contentsOf: bytes[index...].prefix(dice.below(80)), at: dice.below(bytes.count))
                case 3:
                    bytes.append(contentsOf: (0..<dice.below(40)).map { _ in UInt8(truncatingIfNeeded: dice.next()) })
                default: bytes = Array(bytes.prefix(index))
                }
            }
            // With a right checksum, so that what is behind it is reached.
            if dice.isHeads { Self.sign(&bytes) }
        }
        let next = try Rig(disk, epoch: 2, bytes: 32 << 10)
        let found = next.add("new")
        let serial = try #require(found)
        #expect(next.text(at: serial) == "new")
        for serial in next.spool.first..<next.spool.end { _ = next.message(at: serial) }
        for _ in 0..<500 { next.add(String(repeating: "z", count: 100)) }
        #expect(next.spool.bytes <= 40 << 10)
    }

    /// Makes the checksums of a file's records right, as far as their lengths lead.
    private static func sign(_ bytes: inout [UInt8]) {
        var offset = 0
        while let size = Record.size(at: bytes[offset...]), offset + size <= bytes.count {
            let checksum = CRC32C.checksum(bytes[(offset + 8)..<(offset + size)])
            for index in 0..<4 {
                bytes[offset + 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
            }
            offset += size
        }
    }

    @Test("of each byte that is spooled at most 1.2 are written, acknowledgements included")
    func economy() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk, bytes: 64 << 20)
        var payload = 0
        for index in 0..<7_200 {
            let size = index % 2 == 0 ? 401 : 2_330
            rig.add(String(repeating: "x", count: size), to: index % 2)
            payload += size
            rig.spool.acknowledge(rig.spool.end - 1)
            if index % 2 == 0 { rig.spool.mark(rig.now) }
        }
        #expect(Double(disk.written) <= 1.2 * Double(payload), "\(Double(disk.written) / Double(payload))")
    }
}
