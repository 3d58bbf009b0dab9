import BrokerClient
import Readings
import Testing
import Varlink

@testable import sensorctl

@Suite("The statistics of a stream") struct StreamStatisticsTests {
    private static func reading(at times: [Int64]) throws -> Reading {
        let number = JSONValue.array(times.map { _ in .number(1) })
        return try Reading(
            Parameters([
                "resource": "accelerometer", "sequence": 0, "timestampNanoseconds": .integer(times[0]),
                "values": [
                    "columns": ["x": number], "timestampsNanoseconds": .array(times.map { .integer($0) }),
                ],
            ]))
    }

    @Test("are of what came since the last time: rate and jitter by the readings' times, latency by their arrival")
    func lines() throws {
        var statistics = StreamStatistics()
        statistics.expect("location")
        statistics.take(try Self.reading(at: [0, 9_000_000, 20_000_000]), nowNanoseconds: 25_000_000)
        statistics.take(try Self.reading(at: [30_000_000]), nowNanoseconds: 31_000_000)
        let lines = statistics.lines()
        #expect(lines.map(\.resource) == ["location", "accelerometer"])
        #expect(lines[0] == StreamStatistics.Line(resource: "location", readings: 0, lost: 0))
        #expect(lines[1].readings == 4 && lines[1].hertz == 100)
        #expect(lines[1].jitterNanoseconds == 1_000_000)
        #expect(lines[1].longestLatencyNanoseconds == 25_000_000)
        #expect(lines[1].meanLatencyNanoseconds == (25e6 + 16e6 + 5e6 + 1e6) / 4)
        // The step from the last one counts.
        statistics.take(try Self.reading(at: [50_000_000]), nowNanoseconds: 50_000_000)
        #expect(statistics.lines()[1].hertz == 50)
        #expect(statistics.lines()[1].hertz == nil)
    }

    @Test("count what is lost, and take no step across a gap")
    func gaps() throws {
        var statistics = StreamStatistics()
        statistics.take(try Self.reading(at: [0]), nowNanoseconds: 0)
        for count in [3, nil] as [Int64?] {
            var gap: JSONObject = [
                "resource": "accelerometer", "cause": "slowClient", "fromNanoseconds": 0, "untilNanoseconds": 1,
            ]
            if let count { _ = gap.append("count", .integer(count)) }
            statistics.take(try BrokerClient.Gap(Parameters(gap)))
        }
        statistics.take(try Self.reading(at: [.max]), nowNanoseconds: .min)
        let line = statistics.lines()[0]
        #expect(line.lost == 4 && line.hertz == nil && line.longestLatencyNanoseconds == 0)
    }

    @Test("the lines fit a terminal of 80 columns, and have the date where there is room", arguments: [80, 200])
    func width(columns: Int) {
        var text = StatisticsText(format: .text, clock: Examples.clock, style: Style(isOn: false), width: columns)
        let line = StreamStatistics.Line(
            resource: "accelerometer", readings: 12_345, hertz: 1_234.5, jitterNanoseconds: 24_500,
            meanLatencyNanoseconds: 123_000_000, longestLatencyNanoseconds: 999_000, lost: 1_234)
        let lines = text.lines([line], atNanoseconds: 0)
        #expect(lines.allSatisfy { $0.count <= columns } && Set(lines.map(\.count)).count == 1)
        #expect(lines[1].hasPrefix("2026-11-2") == (columns == 200))
    }
}
