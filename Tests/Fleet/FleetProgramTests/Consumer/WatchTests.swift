import Fleet
import MQTT
import Spool
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
        #expect(lines.contains { $0.contains("time unknown") && $0.contains("truck") }, "no clock was sent")
    }

    @Test("on a terminal a fleet is a table: one line a host, and where not all fit, those with a fault first")
    func table() throws {
        var (table, account, clocks) = (HostTable(), FleetAccount(from: .joining), [String: HostClocks]())
        let intake = FleetIntake(prefix: "fleet", hosts: "*")
        let place =
            #"{"epoch":"\#(epochs[0])","number":1,"readings":[{"resource":"location","sequence":1,"timestampNanoseconds":7000000000,"#
            + #""location":{"fix":"3d","latitudeDegrees":48.1,"longitudeDegrees":11.5,"speedMetersPerSecond":3.0}}]}"#
        let messages = [
            HostMessages.status("online", #"{"light":{"last":0}}"#, HostMessages.clock(0, 1_700_000_000)),
            HostMessages.light(1, HostMessages.began()),
            HostMessages.status("online", host: "a", #","backlog":17"#),
            HostMessages.message("location", place, host: "a"),
            HostMessages.light(1, host: "a"), HostMessages.status("lost", host: "z\u{1b}[2J"),
            HostMessages.light(4, #","lost":{"epoch":"\#(epochs[0])","from":2,"to":2,"cause":"evicted"}"#),
        ]
        for message in messages {
            intake.read(message.topic, message.payload, isRetained: message.isRetained) { host, item in
                if case .report(let report, _) = item, let clock = report.clock {
                    clocks[host, default: HostClocks()].take(clock, of: report.epoch)
                }
                table.take(item, of: host, isNew: account.take(item, of: host), clocks[host], 0)
            }
        }
        let now = Moment(bootNanoseconds: 2_000_000_000, utcMicroseconds: 1_700_000_124_000_000)
        func words(_ most: Int) -> [String] {
            table.lines(atMost: most, now, missing: account.findMissing()).map {
                $0.split(separator: " ").joined(separator: " ")
            }
        }
        #expect(
            words(10) == [
                "HOST STATE AGE BACKLOG LOST MISSING NEWEST",
                "a online 2 s 17 0 0 48.100000°N 11.500000°E - 3.0 m/s - 3d",
                "van online 2 min - 1 1 light value 4.50 lx",
                #"z\u001b[2J lost - - 0 0"#,
                "3 hosts, 1 not online, 1 with messages lost or missing",
            ])
        #expect(words(4)[1].hasPrefix("van") && words(4)[2].hasPrefix("z") && words(4).count == 4)
        #expect(words(4)[3].hasSuffix("; 1 are not shown"))
    }

    @Test("a stranger's text does not control the terminal")
    func hostile() throws {
        var command = WatchCommand(try Arguments(["watch"]), FleetSettings())
        let lines = command.take(HostMessages.light(1, host: "v\u{1b}[2Jn"))
        #expect(lines.count == 1 && !lines[0].unicodeScalars.contains { $0.value < 0x20 })
    }
}
