import Fleet
import Testing

@testable import sensorbroker_fleet

private let epochs = HostMessages.epochs

@Suite struct WatchTests {
    private static let messages = [
        HostMessages.status("online", #"{"light":{"last":0}}"#, HostMessages.clock(0, 1_700_000_000)),
        HostMessages.light(1), HostMessages.light(1),
        HostMessages.light(2, HostMessages.clock(2, 1_800_000_000)), HostMessages.message("light", "nonsense"),
        HostMessages.light(3, #","gaps":[{"resource":"light","cause":"deviceLost","count":4}]"#),
        HostMessages.light(5, #","lost":{"epoch":"\#(epochs[0])","from":4,"to":4,"cause":"evicted"}"#),
        HostMessages.light(6), HostMessages.light(7, host: "truck"),
    ]

    private func lines(_ words: String...) throws -> [String] {
        var command = WatchCommand(try Arguments(["watch"] + words), FleetSettings())
        return Self.messages.flatMap { command.take($0) }
    }

    @Test("each reading has its time in UTC, across a step of the clock, and is printed once")
    func json() throws {
        let lines = try lines("--format", "json", "--count", "4", "--host", "v?n")
        let readings = lines.filter { $0.contains("sequence") }
        #expect(readings.count == 4, "no more than was wanted")
        for (line, time) in zip(readings, [1_700_000_001, 1_800_000_000, 1_800_000_001, 1_800_000_003]) {
            #expect(line.hasPrefix(#"{"host":"van","utcMicroseconds":\#(time)000000,"#))
        }
        #expect(lines.first == #"{"host":"van","state":"online"}"#)
        #expect(lines.contains(#"{"host":"van","unreadable":true}"#))
        #expect(lines.contains(#"{"host":"van","gap":{"resource":"light","cause":"deviceLost","count":4}}"#))
        #expect(
            lines.contains(
                #"{"host":"van","lost":{"resource":"light","epoch":"\#(epochs[0])","from":4,"to":4,"cause":"evicted"}}"#
            ))
        #expect(!lines.contains { $0.contains("truck") })
    }

    @Test("the text has a line for each sample, with unit and local words")
    func text() throws {
        let lines = try lines("--resource", "light")
        #expect(lines.contains { $0.contains("2023-11-14T22:13:21") && $0.contains("value 1.50 lx") }, "\(lines)")
        #expect(lines.contains { $0.contains("light: gap: deviceLost, 4 readings missing") })
        #expect(lines.contains { $0.contains("light: messages 4-4 are lost (evicted)") })
        #expect(lines.contains { $0.contains("time unknown") && $0.contains("truck") }, "nobody told its clock")
    }

    @Test("a stranger's text does not control the terminal")
    func hostile() throws {
        var command = WatchCommand(try Arguments(["watch"]), FleetSettings())
        let lines = command.take(HostMessages.light(1, host: "v\u{1b}[2Jn"))
        #expect(lines.count == 1 && !lines[0].unicodeScalars.contains { $0.value < 0x20 })
    }
}
