import Testing

@testable import Spool

/// What of a damaged spool is lost, and what is reported of it.
@Suite struct DamageTests {
    /// A spool with some messages of two streams in one segment, of a program that ended in order or was killed.
    private func spooled(_ count: Int = 150, isClosed: Bool = true, stream: (Int) -> Int = { $0 % 2 }) throws
        -> ModelDisk
    {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        for index in 0..<count { rig.add("m\(index)" + String(repeating: "x", count: 80), to: stream(index)) }
        if isClosed { rig.spool.close(rig.now) }
        return disk
    }

    /// The offsets of the records of a segment.
    private func offsets(_ bytes: [UInt8]) -> [Int] {
        var offsets: [Int] = []
        var search = RecordSearch(bytes)
        while let found = search.next() { offsets.append(search.offset - found.size) }
        return offsets
    }

    private func change(_ disk: ModelDisk, _ change: (inout [UInt8]) -> Void) { disk.mutate(change) }

    @Test("a flipped bit costs one message at most, and its numbers are reported", arguments: 0..<80)
    func flippedBit(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let disk = try spooled()
        disk.flip(&dice)
        let next = try Rig(disk, epoch: 2)
        #expect(next.spool.recovery.last == ["location": 75, "light": 75] && !next.spool.recovery.hasUnknownEnd)
        #expect(next.spool.lostNumbers <= 1)
        next.add("new")
        next.expectComplete(last: ["location": 75, "light": 75])
    }

    @Test("each bit of the head may be the one", arguments: 0..<22)
    func head(part: Int) throws {
        let disk = try spooled()
        change(disk) { $0[part * 5] ^= 4 }
        let next = try Rig(disk, epoch: 2)
        #expect(next.spool.recovery.epoch != nil && next.spool.recovery.hasEnd)
        #expect(next.spool.lostNumbers == 0 && next.spool.backlog == 150)
        next.expectComplete(last: ["location": 75, "light": 75])
    }

    @Test("a sector of zeros costs its messages, also with the head in it", arguments: [0, 512, 4_096, 8_192])
    func sector(place: Int) throws {
        let disk = try spooled()
        change(disk) { for offset in place..<place + 4_096 { $0[offset] = 0 } }
        let next = try Rig(disk, epoch: 2)
        #expect(next.spool.recovery.last == ["location": 75, "light": 75] && !next.spool.recovery.hasUnknownEnd)
        #expect((20...40).contains(next.spool.lostNumbers))
        next.add("new")
        next.expectComplete(last: ["location": 75, "light": 75])
        // What follows the damage can be read while the program runs.
        #expect(next.text(at: 140)?.hasPrefix("m139") == true)
    }

    @Test("after a kill, the messages behind the damage show what is lost in it")
    func killed() throws {
        let disk = try spooled(isClosed: false)
        change(disk) { $0[$0.count / 3] ^= 4 }
        let next = try Rig(disk, epoch: 2)
        #expect(next.spool.recovery.last == ["location": 75, "light": 75] && !next.spool.recovery.hasUnknownEnd)
        #expect(!next.spool.recovery.hasEnd && next.spool.lostNumbers == 1)
        next.add("new")
        next.expectComplete(last: ["location": 75, "light": 75])
        #expect(try Rig(disk, epoch: 3).spool.lostNumbers == 0, "reported once")
    }

    @Test("a stream that is silent after the damage may have lost its end, and one that cannot have been in it has not")
    func silent() throws {
        for (isLight, place) in [(true, 10), (false, 5)] {
            let disk = try spooled(14, isClosed: false) { $0 == 10 || $0 == 3 ? 1 : 0 }
            let bytes = disk.files.values.first ?? []
            let messages = offsets(bytes).filter { Record(bytes[$0...])?.isMessage == true }
            change(disk) { $0[messages[place] + 60] ^= 4 }
            let recovery = try Rig(disk, epoch: 2).spool.recovery
            let light = try #require(recovery.end(of: "light"))
            let location = try #require(recovery.end(of: "location"))
            #expect(light.isUnknown == isLight && light.last == (isLight ? 1 : 2))
            #expect(!location.isUnknown && location.last == 12)
        }
    }

    @Test("what was not written to its end is no damage; bytes that are none of ours leave the end unknown")
    func end() throws {
        let torn = try spooled(20, isClosed: false)
        change(torn) { $0.removeLast(30) }
        let recovery = try Rig(torn, epoch: 2).spool.recovery
        #expect(recovery.damagedBytes == 0 && !recovery.hasUnknownEnd && recovery.last["light"] == 9)

        let changed = try spooled(20, isClosed: false)
        change(changed) { $0[$0.count - 30] ^= 4 }
        let unknown = try Rig(changed, epoch: 2).spool.recovery
        #expect(unknown.damagedBytes > 100 && unknown.hasUnknownEnd && unknown.last["light"] == 9)
        #expect(unknown.end(of: "location")?.isUnknown == true && unknown.end(of: "light")?.isUnknown == true)
        // The damaged end is cut off: the next program knows no more of it.
        #expect(try !Rig(changed, epoch: 3).spool.recovery.hasUnknownEnd)
    }

    @Test("a newest segment that cannot be read at all leaves the end unknown; an empty one was not begun")
    func unreadable() throws {
        let disk = try spooled()
        disk.put([UInt8](repeating: 7, count: 900), as: Segment.name(2))
        #expect(try Rig(disk, epoch: 2).spool.recovery.end(of: "light")?.isUnknown == true)
        let empty = try spooled()
        empty.put([], as: Segment.name(2))
        let recovery = try Rig(empty, epoch: 2).spool.recovery
        #expect(recovery.end(of: "light")?.isUnknown == false && recovery.hasEnd)
    }

    @Test("a search in hostile bytes is bounded")
    func bounded() {
        // Each of these looks like the beginning of a record that has half of the bytes.
        var record = ByteWriter()
        record.put(UInt32(100_000))
        record.put(UInt32(7))
        for _ in 0..<2 { record.put(UInt64(0x02_0202)) }
        record.put(UInt8(2))
        let bytes = [UInt8]((0..<6_000).map { _ in record.bytes }.joined())
        var search = RecordSearch(bytes)
        #expect(search.next() == nil && search.offset == 0)
    }

    @Test("the first messages wait for a full disk, and nothing comes before them")
    func beginning() throws {
        let disk = try spooled()
        disk.capacity = disk.used
        let next = try Rig(disk, epoch: 2)
        func begin() -> Bool { next.spool.begin(2, at: next.now) { _ in Array("began".utf8) } }
        #expect(!begin() && next.spool.failures > 0)
        next.spool.lose(Loss(epoch: next.spool.epoch, numbers: 1...2, cause: .gone), of: "light")
        next.spool.reportLosses(next.now)
        #expect(next.spool.lastNumber(of: 0) == 0)
        disk.capacity = nil
        #expect(begin())
        next.spool.reportLosses(next.now)
        #expect(next.text(at: next.spool.end - 2) == "began" && next.spool.lastNumber(of: 1) == 2)
        #expect(next.spool.lastNumber(of: 0) == 1 && next.losses().map(\.loss.cause) == [.gone])
    }

    @Test("a program that numbered nothing was no epoch")
    func empty() throws {
        let disk = try spooled()
        let first = try Rig(disk, epoch: 9).spool.recovery
        let second = try Rig(disk, epoch: 2)
        disk.capacity = disk.used + 500
        _ = second.spool.begin(2, at: second.now) { _ in [UInt8](repeating: 1, count: 400) }
        disk.capacity = nil
        let third = try Rig(disk, epoch: 3).spool.recovery
        #expect(third.epoch == second.spool.epoch)
        for stream in ["location", "light"] {
            #expect(third.end(of: stream)?.epoch == first.epoch && third.end(of: stream)?.last == 75)
        }
    }

    @Test("numbers that the disk did not take are not reported as there")
    func written() throws {
        let disk = ModelDisk()
        let rig = try Rig(disk)
        rig.add("one")
        disk.capacity = disk.used
        rig.add("two")
        #expect(rig.spool.lastNumber(of: 0) == 1 && rig.spool.nextNumber(of: 0) == 3)
        disk.capacity = nil
        rig.add("three")
        #expect(rig.losses().map(\.loss.numbers) == [2...2] && rig.spool.lastNumber(of: 0) == 4)
    }
}

extension Record {
    fileprivate var isMessage: Bool { if case .message = content { true } else { false } }
}
