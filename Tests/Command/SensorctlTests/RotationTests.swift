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

    @Test("deletes what is too old, and the oldest until there is room")
    func surplus() {
        let files = [
            Self.file("c", 30, at: 300), Self.file("a", 10, at: 100), Self.file("d", 40, at: 5_000),
            Self.file("b", 20, at: 200),
        ]
        func names(_ rotation: Rotation, present: Int64 = 0, now: Int64) -> [String] {
            rotation.surplus(files, presentBytes: present) { now * Self.second - $0.modifiedNanoseconds }.map(\.name)
        }
        #expect(names(Rotation(), now: 9_999) == [])
        #expect(names(Rotation(keepNanoseconds: 100 * Self.second), now: 301) == ["a", "b"])
        #expect(names(Rotation(totalBytes: 100), now: 0) == [])
        #expect(names(Rotation(totalBytes: 100), present: 1, now: 0) == ["a"])
        #expect(names(Rotation(totalBytes: 100), present: 11, now: 0) == ["a", "b"])
        #expect(names(Rotation(totalBytes: 5), now: 0) == ["a", "b", "c", "d"])
        #expect(names(Rotation(keepNanoseconds: 100 * Self.second, totalBytes: 90), now: 201) == ["a"])
    }

    @Test("a clock that is set makes no file older", arguments: [-1_000_000, 0, 1_000_000])
    func ages(step: Int64) {
        func age(_ ages: FileAges, _ file: Rotation.File, at now: Int64) -> Int64 {
            let utc = now + (now > 150 ? step : 0)
            let age = ages.age(of: file, bootNanoseconds: now * Self.second, utcNanoseconds: utc * Self.second)
            return age / Self.second
        }
        let (former, own, later) = (
            Self.file("a", 1, at: 50), Self.file("b", 1, at: 120), Self.file("c", 1, at: 160 + step)
        )
        var ages = FileAges(bootNanoseconds: 100 * Self.second, utcNanoseconds: 100 * Self.second)
        ages.see([former], bootNanoseconds: 100 * Self.second)
        ages.see([former, own], bootNanoseconds: 120 * Self.second)
        ages.see([former, own, later], bootNanoseconds: 160 * Self.second)
        // Of a former file nobody knows the clock; if it was set back, the time is known for which it has been there.
        #expect(age(ages, former, at: 140) == 90 && age(ages, former, at: 200) == (step < 0 ? 100 : 150))
        #expect(age(ages, own, at: 200) == 80 && age(ages, later, at: 200) == 40)
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
