import Readings
import Testing
import Varlink

@testable import Reports

struct ReportTests {
    private static let accelerometer = ResourceName.accelerometer

    private static func acceleration(_ x: Double) -> Measurement {
        .values(Values(.acceleration, SIMD4(x, 0, 9.81, 0)))
    }

    @Test("a long recording takes no more room than it may, and nothing of it is lost to sight")
    func bounded() throws {
        var report = Report(most: 20_000)
        for index in 0..<100_000 as Range<Int64> {
            report.add(
                Self.acceleration(index == 77_777 ? 1_000 : Double(index % 10)), of: 0, Self.accelerometer,
                at: index * 10_000_000)
        }
        report.finish()
        let resource = try #require(report.resources.first)
        #expect(resource.cost <= 20_000)
        #expect(resource.sampleCount == 100_000 && resource.series.samplesPerEntry > 8)
        #expect(resource.series.numbers.contains(1_000))
        #expect(resource.statistics[0].extremes?.greatest == 1_000 && resource.statistics[0].count == 100_000)
        #expect(abs(try #require(resource.rate) - 100) < 1e-6)
    }

    @Test(
        "sessions follow each other as their clocks say, after a second without clocks, and never before the end of the last one"
    )
    func sessions() {
        var report = Report()
        let second: Int64 = 1_000_000_000
        func session(utc: Int64?, boot: Int64) {
            report.beginSession(utcShift: utc.map { $0 - boot })
            for step in 0..<3 as Range<Int64> {
                report.add(Self.acceleration(1), of: 0, Self.accelerometer, at: boot + step * second)
            }
        }
        session(utc: 1_000 * second, boot: 50 * second)
        session(utc: 1_060 * second, boot: 7 * second)
        session(utc: 1_020 * second, boot: 9 * second)
        session(utc: nil, boot: 900 * second)
        report.finish()
        #expect(report.sessions.map(\.start) == [0, 60, 63, 66].map { $0 * second })
        #expect(report.sessions.map(\.isMoved) == [false, false, true, false])
        #expect(report.sessions.map(\.utcNanoseconds) == [1_000 * second, 1_060 * second, 1_020 * second, nil])
        #expect(report.resources[0].series.times == [0, 1, 2, 60, 61, 62, 63, 64, 65, 66, 67, 68].map { $0 * second })
        #expect(report.resources[0].series.breaks.enumerated().filter(\.element).map(\.offset) == [0, 3, 6, 9])
    }

    @Test("no line leads across a gap, an outage, or a pause twenty times as long as usual")
    func breaks() {
        var report = Report()
        var time: Int64 = 0
        func samples(_ count: Int) {
            for _ in 0..<count {
                report.add(Self.acceleration(1), of: 0, Self.accelerometer, at: time)
                time += 10_000_000
            }
        }
        samples(20)
        report.add(
            Gap(
                cause: .slowClient, count: 5, from: BootTime(nanoseconds: time),
                until: BootTime(nanoseconds: time + 50_000_000)),
            "evicted", of: 0, Self.accelerometer, .acceleration)
        samples(20)
        report.add(.unavailable(reason: "unplugged"), of: 0, Self.accelerometer, .acceleration, at: time)
        report.add(.active, of: 0, Self.accelerometer, .acceleration, at: time + 1)
        samples(20)
        time += 300_000_000
        samples(20)
        report.finish()
        let resource = report.resources[0]
        #expect(resource.series.breaks.enumerated().filter(\.element).map(\.offset) == [0, 20, 40, 60])
        #expect(resource.bands.all.map(\.name) == ["gap", "unavailable"])
        #expect(resource.bands.gaps.map(\.cause) == ["evicted"])
        #expect(resource.bands.all[1].until - resource.bands.all[1].from == 1)
    }

    @Test("the time without a position is a band")
    func lostPosition() {
        var report = Report()
        for index in 0..<10 as Range<Int64> {
            var location = Location(fix: (3..<6).contains(index) || index == 9 ? .noPosition : .threeDimensional)
            if location.fix == .threeDimensional {
                (location.latitudeDegrees, location.longitudeDegrees) = (1, Double(index))
            }
            report.add(.location(location), of: 0, .location, at: index)
        }
        report.finish()
        #expect(report.resources[0].bands.all.map(\.name) == ["no position", "no position"])
        #expect(
            report.resources[0].bands.all.map(\.from) == [3, 9] && report.resources[0].bands.all.map(\.until) == [6, 9])
        #expect(report.resources[0].path.points.map(\.isBroken) == [true, false, false, true, false, false])
    }

    @Test("no point stands for samples on both sides of a gap or a loss of position", arguments: [8_000, 40_000])
    func piecesOfPoints(most: Int) {
        var report = Report(most: most)
        for second in 0..<5_000 as Range<Int64> {
            // Of 1000 seconds each, the last 30 are without a position.
            var location = Location(fix: second % 1_000 < 970 ? .threeDimensional : .noPosition)
            if location.fix == .threeDimensional {
                (location.latitudeDegrees, location.longitudeDegrees) = (1, Double(second) / 1e5)
                location.speedMetersPerSecond = Double(second / 1_000)
            }
            report.add(.location(location), of: 0, .location, at: second * 1_000_000_000)
        }
        report.finish()
        let series = report.resources[0].series
        #expect((series.samplesPerEntry > 1) == (most == 8_000) && series.counts.reduce(0, +) == 5_000)
        for entry in series.times.indices {
            let speed = series.numbers[entry * series.width]
            #expect(series.numbers[(entry + 1) * series.width - series.width].isNaN == speed.isNaN)
            guard series.samplesPerEntry > 1, !speed.isNaN else { continue }
            #expect(series.numbers[entry * series.width + 1] == speed)
            #expect(Double(speed) == (Double(series.times[entry]) / 1e12).rounded(.down))
        }
        #expect(series.breaks.count { $0 } == 10)
    }

    @Test("the numbers of a heading are those of the circle, and no point of one that passes north is a whole turn")
    func headings() throws {
        var report = Report(most: 3_000)
        for index in 0..<10_000 as Range<Int64> {
            let values = Values(.heading, [index % 2 == 0 ? 359 : 1, 0, 0, 0])
            report.add(.values(values), of: 0, Kind.heading.row.firstResource, at: index * 100_000_000)
        }
        report.finish()
        let resource = report.resources[0]
        let ends = try #require(resource.statistics[0].extremes)
        #expect(ends.least == 359 && ends.greatest == 1 && resource.series.samplesPerEntry > 1)
        #expect(abs(Direction.turn(from: 0, to: try #require(resource.statistics[0].mean))) < 1e-6)
        #expect(abs(try #require(resource.statistics[0].deviation) - 1) < 1e-3)
        for entry in resource.series.times.indices {
            #expect(resource.series.numbers[entry * 4] == 359 && resource.series.numbers[entry * 4 + 1] == 361)
        }
        var around = Statistics(.circular)
        for degrees in 0..<360 { around.add(Double(degrees)) }
        #expect(around.extremes == nil && around.count == 360)
    }

    @Test("a rotation and its negative are one line and one mean; what is near or not has no mean")
    func rotations() throws {
        var report = Report()
        for index in 0..<100 as Range<Int64> {
            let rotation = Values(.rotation, [0, 0, 0.6, 0.8] * (index % 3 == 0 ? -1 : 1))
            report.add(.values(rotation), of: 0, Kind.rotation.row.firstResource, at: index)
            let near = Values(.proximity, [index % 2 == 0 ? 1 : 0, 5, 0, 0])
            report.add(.values(near), of: 1, Kind.proximity.row.firstResource, at: index)
        }
        report.finish()
        let series = report.resources[0].series
        #expect(Set(series.times.indices.map { series.numbers[$0 * 4 + 2] }) == [0.6])
        let mean = try #require(report.resources[0].rotations?.value)
        #expect(abs((mean * SIMD4(0, 0, 0.6, 0.8)).sum().magnitude - 1) < 1e-12)
        #expect(try #require(report.resources[0].rotations?.spreadRadians) < 1e-6)
        #expect(report.resources[1].statistics[0].mean == nil)
    }

    @Test("of too many gaps, neighbours become one band; their numbers are kept")
    func manyBands() {
        var bands = Bands()
        for index in 0..<10_000 as Range<Int64> {
            bands.add(
                Band(
                    from: index * 1_000, until: index * 1_000 + 10, name: "gap", reason: index % 2 == 0 ? "a" : "b",
                    missing: Missing(inGap: index < 4 ? nil : 2)))
        }
        #expect(bands.all.count <= 2_048)
        #expect(bands.all.reduce(0) { $0 + $1.number } == 10_000)
        #expect(bands.gaps.map(\.count) == [5_000, 5_000] && bands.gaps.map(\.missing.count) == [9_996, 9_996])
        // What is unknown stays unknown.
        #expect(bands.gaps.map(\.missing.unknownGaps) == [2, 2])
        #expect(bands.all.reduce(0) { $0 + $1.missing.unknownGaps } == 4)
    }

    @Test("of too many points of a track, close ones are left out, and its length is that of all")
    func path() {
        var path = Path(most: 100)
        for index in 0..<10_000 as Range<Int64> {
            if index == 5_000 { path.interrupt() }
            path.add(latitudeDegrees: Double(index) * 1e-6, longitudeDegrees: 0, at: index)
        }
        #expect(path.points.count <= 100 && path.points.count > 25)
        #expect(path.toleranceMeters >= 8)
        #expect(abs(path.lengthMeters - 9_998 * 0.110574) < 0.1)
        #expect(path.points.contains { $0.time == 5_000 && $0.isBroken })
        var pieces = Path(most: 100)
        for index in 0..<1_000 as Range<Int64> {
            pieces.interrupt()
            pieces.add(latitudeDegrees: Double(index % 7), longitudeDegrees: 0, at: index)
        }
        #expect(pieces.points.count <= 100 && pieces.points.allSatisfy(\.isBroken))
    }

    @Test("the page's data is JSON, in which no text can end it")
    func data() throws {
        var report = Report()
        report.add(Self.acceleration(1), of: 0, Self.accelerometer, at: 5)
        report.add(.unavailable(reason: "</script><!--"), of: 0, Self.accelerometer, .acceleration, at: 6)
        report.finish()
        var page: [UInt8] = []
        ReportPage.write(report, title: "<&\">", program: "x") { page += $0 }
        let text = String(decoding: page, as: UTF8.self)
        let data = try #require(text.split(separator: "id=\"data\">").last?.split(separator: "</script>").first)
        #expect(!data.contains("<"))
        guard case .object(let object) = try JSONReader.read(Array(data.utf8), limits: .replies) else {
            Issue.record("the data is no object")
            return
        }
        #expect(object["title"] == .string("<&\">"))
        #expect(text.contains("<title>&lt;&amp;&quot;&gt;</title>"))
    }
}
