import Testing

@testable import sensorctl

@Suite("The rotation of a recording") struct RotationTests {
    private static let second: Int64 = 1_000_000_000

    @Test("begins a file at whole multiples of its time, also before 1970, and when the clock is set")
    func time() {
        let rotation = Rotation(everyNanoseconds: 3_600 * Self.second)
        func isDue(_ begun: Int64, _ now: Int64) -> Bool {
            rotation.isDue(
                begunNanoseconds: begun * Self.second, bytes: 9, adding: 9, nowNanoseconds: now * Self.second)
        }
        #expect(!isDue(7_200, 10_799) && isDue(7_200, 10_800) && isDue(10_799, 10_800))
        #expect(isDue(10_800, 3_000) && !isDue(-1, -3_600) && isDue(-3_601, -3_600))
    }

    @Test("begins a file before one is too long, but each holds something")
    func size() {
        let rotation = Rotation(fileBytes: 100)
        func isDue(_ bytes: Int64, _ count: Int64) -> Bool {
            rotation.isDue(begunNanoseconds: 0, bytes: bytes, adding: count, nowNanoseconds: 1)
        }
        #expect(!isDue(50, 50) && isDue(51, 50) && !isDue(0, 1_000) && isDue(1, .max))
        // A file is deleted as a whole, so it is a part of the total.
        let bounded = Rotation(everyNanoseconds: .max, totalBytes: 400)
        #expect(!bounded.isDue(begunNanoseconds: 0, bytes: 99, adding: 1, nowNanoseconds: 0))
        #expect(bounded.isDue(begunNanoseconds: 0, bytes: 99, adding: 2, nowNanoseconds: 0))
    }

    private static func file(_ name: String, _ bytes: Int64, at modified: Int64) -> Rotation.File {
        Rotation.File(name: name, bytes: bytes, modifiedNanoseconds: modified * second)
    }

    @Test("deletes what is too old, and the oldest until there is room; what cannot be deleted takes it")
    func surplus() {
        let files = [
            Self.file("c", 30, at: 300), Self.file("a", 10, at: 100), Self.file("d", 40, at: 5_000),
            Self.file("b", 20, at: 200),
        ]
        func names(_ rotation: Rotation, present: Int64 = 0, but kept: String = "", now: Int64) -> [String] {
            var deleted: [Rotation.File] = []
            let old = files.filter { file in
                rotation.keepNanoseconds.map { now * Self.second - file.modifiedNanoseconds > $0 } ?? false
            }
            let left = rotation.trim(files, old: Set(old), presentBytes: present) { file in
                if file.name != kept { deleted.append(file) }
                return file.name != kept
            }
            #expect(left == 100 - deleted.reduce(0) { $0 + $1.bytes })
            return deleted.map(\.name)
        }
        #expect(names(Rotation(), now: 9_999) == [])
        #expect(names(Rotation(keepNanoseconds: 100 * Self.second), now: 301) == ["a", "b"])
        #expect(names(Rotation(totalBytes: 100), now: 0) == [])
        #expect(names(Rotation(totalBytes: 100), present: 1, now: 0) == ["a"])
        #expect(names(Rotation(totalBytes: 100), present: 11, now: 0) == ["a", "b"])
        #expect(names(Rotation(totalBytes: 5), now: 0) == ["a", "b", "c", "d"])
        #expect(names(Rotation(totalBytes: 70), but: "b", now: 0) == ["a", "c"])
        #expect(names(Rotation(keepNanoseconds: 100 * Self.second, totalBytes: 90), now: 201) == ["a"])
    }

    private static func see(
        _ ages: inout FileAges, _ files: [Rotation.File], boot: Int64, utc: Int64, isSynchronized: Bool? = true,
        _ reference: FileAges.Reference = { _ in nil }
    ) {
        ages.see(
            files, bootNanoseconds: boot * second, utcNanoseconds: utc * second, isSynchronized: isSynchronized,
            reference)
    }

    @Test("a clock that is set makes no file older", arguments: [-1_000_000, 0, 1_000_000])
    func ages(step: Int64) {
        let (former, own, later) = (
            Self.file("a", 1, at: 50), Self.file("b", 1, at: 120), Self.file("c", 1, at: 160 + step)
        )
        var ages = FileAges(bootNanoseconds: 100 * Self.second, utcNanoseconds: 100 * Self.second)
        func age(_ file: Rotation.File) -> Int64 { ages.age(of: file) / Self.second }
        Self.see(&ages, [former], boot: 100, utc: 100)
        Self.see(&ages, [former, own], boot: 140, utc: 140)
        #expect(age(former) == 90 && age(own) == 20)
        Self.see(&ages, [former, own, later], boot: 160, utc: 160 + step)
        Self.see(&ages, [former, own, later], boot: 200, utc: 200 + step)
        // Of a former file nobody knows the clock; if it was set back, the time is known for which it has been there.
        #expect(age(former) == (step < 0 ? 100 : 150))
        #expect(age(own) == (step < 0 ? 60 : 80) && age(later) == 40)
    }

    @Test(
        "a clock without a reference, ahead since the host was started, makes no file older than it is",
        arguments: [true, false, nil] as [Bool?])
    func agesByAClockThatIsAhead(isSynchronized: Bool?) {
        let years: Int64 = 700_000_000
        // Written up to 5,000, when the host was switched off; it has been on for 60 s.
        let (old, new) = (Self.file("a", 1, at: 2_000), Self.file("b", 1, at: 5_000))
        // From the same time, by a recorder that was started again, and one that is stamped with any time.
        let present = Self.file("c", 1, at: years - 20)
        let any = Rotation.File(name: "A", bytes: 1, modifiedNanoseconds: .min)
        var ages = FileAges(bootNanoseconds: 60 * Self.second, utcNanoseconds: years * Self.second)
        Self.see(&ages, [old, new, present], boot: 60, utc: years, isSynchronized: isSynchronized)
        func age(_ file: Rotation.File) -> Int64 { ages.age(of: file) / Self.second }
        let off = isSynchronized == true ? years - 5_060 : 0
        #expect(age(old) == 3_060 + off && age(new) == 60 + off && age(present) == 20)
        Self.see(&ages, [any, old, new, present], boot: 61, utc: years + 1, isSynchronized: isSynchronized)
        #expect(age(any) == 0)
        // Once the time is known, it is that time which counts.
        Self.see(&ages, [old, new, present], boot: 100, utc: 20_000, isSynchronized: true)
        #expect(age(old) == 18_000 && age(new) == 15_000 && age(present) == 40)
    }

    @Test("what a clock without a reference stamped is as old as the next file of which the time is known")
    func agesOfStampsThatMeanNothing() {
        // The host was switched off between "b" and "c", and again after "d", for long; "b" and "d" have the time of "a".
        let (known, early) = (Self.file("a", 1, at: 1_000), Self.file("b", 1, at: 1_010))
        let (next, last) = (Self.file("c", 1, at: 5_000), Self.file("d", 1, at: 1_020))
        let files = [last, next, early, known]
        func reference(_ file: Rotation.File) -> Bool? { ["a", "c"].contains(file.name) }
        func old(utc: Int64, isSynchronized: Bool?, than limit: Int64) -> [String] {
            var ages = FileAges(bootNanoseconds: 10 * Self.second, utcNanoseconds: utc * Self.second)
            Self.see(&ages, files, boot: 10, utc: utc, isSynchronized: isSynchronized, reference)
            return ages.old(longerThan: limit * Self.second, reference).map(\.name).sorted()
        }
        #expect(old(utc: 5_100, isSynchronized: true, than: 200) == ["a"])
        #expect(old(utc: 9_000, isSynchronized: true, than: 200) == ["a", "b", "c"])
        // The clock was years ahead for "d", which nobody believes any more.
        let ahead = Self.file("d", 1, at: 900_000)
        var ages = FileAges(bootNanoseconds: 10 * Self.second, utcNanoseconds: 900_100 * Self.second)
        Self.see(&ages, [known, next, ahead], boot: 10, utc: 900_100, isSynchronized: false, reference)
        #expect(ages.age(of: next) == 10 * Self.second && ages.age(of: known) == 4_010 * Self.second)
        let later = Self.file("e", 1, at: 6_000)
        ages = FileAges(bootNanoseconds: 10 * Self.second, utcNanoseconds: 7_000 * Self.second)
        func laterReference(_ file: Rotation.File) -> Bool? { file.name != "d" }
        Self.see(&ages, [ahead, later], boot: 10, utc: 7_000, laterReference)
        #expect(ages.old(longerThan: 900 * Self.second, laterReference) == [ahead, later])
        #expect(ages.old(longerThan: 1_100 * Self.second, laterReference) == [])
    }

    @Test("the names sort by time, never repeat, and tell ours from others", arguments: ["/d/drive.ndjson.zst", "r"])
    func names(path: String) {
        let names = SeriesName(path)
        let begun: Int64 = 1_795_413_600_123_456
        let first = names.name(utcMicroseconds: begun, after: nil)
        var all = [first]
        // The clock stands, goes on, and is set back.
        for step in [0, 0, 1_000, 999, 60_000_000, -86_400_000_000, 0] as [Int64] {
            all.append(names.name(utcMicroseconds: begun + step, after: all.last))
        }
        #expect(all == all.sorted() && Set(all).count == all.count)
        #expect(all.allSatisfy { names.has($0) })
    }

    @Test("a name says what it is, and a stranger's is not ours")
    func strangers() {
        let names = SeriesName("/var/lib/x/drive.ndjson.zst")
        #expect(names.directory == "/var/lib/x/")
        #expect(
            names.name(utcMicroseconds: 1_795_413_600_123_456, after: nil) == "drive-20261123T060000.123Z.ndjson.zst")
        for name in [
            "drive.ndjson.zst", "drive-20261123T060000.123Z.ndjson", "drive-20261123T060000Z.ndjson.zst",
            "other-20261123T060000.123Z.ndjson.zst", "drive-20261323T060000.123Z.ndjson.zst",
            "drive-2-20261123T060000.123Z.ndjson.zst", "drive-20261123T060000.123Z.ndjson.zst~",
            "xdrive-20261123T060000.123Z.ndjson.zst", "drive-²0261123T060000.123Z.ndjson.zst",
        ] { #expect(!names.has(name), "\(name)") }
        #expect(SeriesName("a.b.ndjson").name(utcMicroseconds: 0, after: nil) == "a.b-19700101T000000.000Z.ndjson")
        #expect(SeriesName("./.x").name(utcMicroseconds: 0, after: nil) == ".x-19700101T000000.000Z")
    }
}
