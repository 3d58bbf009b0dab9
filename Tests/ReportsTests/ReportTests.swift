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
        for place in 0..<100_000 as Range<Int64> {
            report.add(
                Self.acceleration(place == 77_777 ? 1_000 : Double(place % 10)), of: 0, Self.accelerometer,
                at: place * 10_000_000)
        }
        report.finish()
        let resource = try #require(report.resources.first)
        #expect(resource.cost <= 20_000)
        #expect(resource.sampleCount == 100_000 && resource.series.samplesPerEntry > 8)
        #expect(resource.series.numbers.contains(1_000))
        #expect(resource.statistics[0].greatest == 1_000 && resource.statistics[0].count == 100_000)
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
            of: 0, Self.accelerometer, .acceleration)
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
        #expect(resource.bands.all[1].until - resource.bands.all[1].from == 1)
    }

    @Test("the time without a position is a band")
    func lostPosition() {
        var report = Report()
        for place in 0..<10 as Range<Int64> {
            var location = Location(fix: (3..<6).contains(place) || place == 9 ? .noPosition : .threeDimensional)
            if location.fix == .threeDimensional {
                (location.latitudeDegrees, location.longitudeDegrees) = (1, Double(place))
            }
            report.add(.location(location), of: 0, .location, at: place)
        }
        report.finish()
        #expect(report.resources[0].bands.all.map(\.name) == ["no position", "no position"])
        #expect(
            report.resources[0].bands.all.map(\.from) == [3, 9] && report.resources[0].bands.all.map(\.until) == [6, 9])
        #expect(report.resources[0].path.points.map(\.isBroken) == [true, false, false, true, false, false])
    }

    @Test("a drawing has each picture by its name, and no text of a recording as markup")
    func drawing() throws {
        var report = Report()
        for place in 0..<3_000 as Range<Int64> {
            report.add(Self.acceleration(Double(place % 5)), of: 0, Self.accelerometer, at: place * 10_000_000)
        }
        report.finish()
        let names =
            ["x", "y", "z"].map { "accelerometer acceleration \($0)" }
            + ["spectrum", "rate", "interval (jitter)"].map { "accelerometer \($0)" }
        #expect(ReportDrawing.names(report) == names)
        let all = try #require(ReportDrawing.svg(report, title: "a<b>&"))
        #expect(all.contains("a&lt;b&gt;&amp;") && !all.contains("a<b>"))
        for name in names { #expect(all.contains(">\(name)")) }
        let one = try #require(ReportDrawing.svg(report, title: "", picture: names[3]))
        #expect(one.contains(names[3]) && !one.contains(names[0]))
        #expect(ReportDrawing.svg(report, title: "", picture: "accelerometer") == nil)
    }

    @Test(
        "rates and intervals are drawn as they were, of single samples and of folded ones",
        arguments: [Report.usualMost, 3_000])
    func rates(most: Int) throws {
        var report = Report(most: most)
        // Every 10 ms, and then every 20 ms.
        for number in 0..<4_000 as Range<Int64> {
            let stamp = number < 2_000 ? number : number * 2 - 2_000
            report.add(Self.acceleration(1), of: 0, Self.accelerometer, at: stamp * 10_000_000)
        }
        report.finish()
        #expect((report.resources[0].series.samplesPerEntry > 1) == (most == 3_000))
        /// The points of the line of a colour.
        func line(_ name: String, _ colour: Int) throws -> [(x: Double, y: Double)] {
            let text = try #require(ReportDrawing.svg(report, title: "", picture: "accelerometer \(name)"))
            let end = "\" fill=\"none\" stroke=\"\(SVGCanvas.colour(colour))\""
            let path = text.split(separator: "d=\"").first { $0.contains(end) }?.prefix { $0 != "\"" }
            return try #require(path).split { $0 == "M" || $0 == "L" }.map { point in
                let numbers = point.split(separator: " ").compactMap { Double($0) }
                return (numbers[0], numbers[1])
            }
        }
        let (middle, bottom) = (Frame.left + (1_000 - Frame.left - Frame.right) / 3, 20 + 84 - Frame.bottom)
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        let rates = try line("rate", 3)
        let fast = mean(rates.filter { $0.x < middle - 20 }.map { bottom - $0.y })
        let slow = mean(rates.filter { $0.x > middle + 20 }.map { bottom - $0.y })
        #expect(abs(fast / slow - 2) < 0.1)
        // The axis has six hundredths of room at both ends.
        let intervals = try line("interval (jitter)", 2)
        let room = (bottom - 26) * 0.06 / 1.12
        #expect(intervals.filter { $0.x < middle - 10 }.allSatisfy { abs($0.y - (bottom - room)) < 0.1 })
        #expect(intervals.filter { $0.x > middle + 10 }.allSatisfy { abs($0.y - (26 + room)) < 0.1 })
        #expect(intervals.contains { $0.x < middle - 10 } && intervals.contains { $0.x > middle + 10 })
    }

    @Test("marks of axes are round numbers within the axis, with no more digits than they need")
    func axes() {
        #expect(Axis(from: 0, to: 1, most: 5).marks.map(\.text) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"])
        #expect(Axis(from: -12, to: 31, most: 4).marks.map(\.text) == ["0", "20"])
        #expect(Axis(from: 0, to: 600, most: 8, utcSeconds: 1_790_000_000).marks.map(\.text).first == "14:14")
        #expect(
            Axis(from: 0, to: 0.5, most: 4, utcSeconds: 59.75).marks.map(\.text) == [
                "00:00:59.8", "00:01:00.0", "00:01:00.2",
            ])
        #expect(
            Axis(from: 0, to: 2, most: 4, utcSeconds: nil).marks.map(\.text) == [
                "0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s",
            ])
        #expect(Axis(logarithmicFrom: 0.5, to: 20, most: 10).marks.map(\.text) == ["0.5", "1", "2", "5", "10", "20"])
        #expect(NumberText.digits(0.001234) == "0.001234" && NumberText.digits(123_456) == "123456")
        #expect(NumberText.fixed(-0.004, 2) == "0.00" && NumberText.fixed(-1.005, 1) == "-1.0")
        #expect(NumberText.digits(1e300).contains("e300") && NumberText.fixed(.infinity, 2).count > 10)
    }

    @Test("of too many gaps, neighbours become one band; their numbers are kept")
    func manyBands() {
        var bands = Bands()
        for place in 0..<10_000 as Range<Int64> {
            bands.add(
                Band(
                    from: place * 1_000, until: place * 1_000 + 10, name: "gap", reason: place % 2 == 0 ? "a" : "b",
                    missing: 2))
        }
        #expect(bands.all.count <= 2_048)
        #expect(bands.all.reduce(0) { $0 + $1.number } == 10_000)
        #expect(bands.gaps.map(\.count) == [5_000, 5_000] && bands.gaps.map(\.missing) == [10_000, 10_000])
    }

    @Test("of too many points of a track, close ones are left out, and its length is that of all")
    func path() {
        var path = Path(most: 100)
        for place in 0..<10_000 as Range<Int64> {
            if place == 5_000 { path.interrupt() }
            path.add(latitudeDegrees: Double(place) * 1e-6, longitudeDegrees: 0, at: place)
        }
        #expect(path.points.count <= 100 && path.points.count > 25)
        #expect(path.toleranceMeters >= 8)
        #expect(abs(path.lengthMeters - 9_998 * 0.110574) < 0.1)
        #expect(path.points.contains { $0.time == 5_000 && $0.isBroken })
        var pieces = Path(most: 100)
        for place in 0..<1_000 as Range<Int64> {
            pieces.interrupt()
            pieces.add(latitudeDegrees: Double(place % 7), longitudeDegrees: 0, at: place)
        }
        #expect(pieces.points.count <= 100)
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
