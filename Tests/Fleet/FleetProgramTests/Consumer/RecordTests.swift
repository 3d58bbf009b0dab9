import Fleet
import MQTT
import Programs
import Testing
import TestTools
import Varlink

@testable import sensorbroker_fleet

private let second: Int64 = 1_000_000_000
private let epochs = HostMessages.epochs

@Suite struct RecordTests {
    @Test("what comes late is put in order; a hole is a gap, and what fills it later is put aside")
    func order() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)), HostMessages.light(3),
            HostMessages.light(2, isLate: true), HostMessages.light(2, isLate: true), HostMessages.light(6))
        #expect(recording.numbers() == [1, 2, 3])
        try recording.wait(3)
        #expect(recording.numbers() == [1, 2, 3, 6])
        let gaps = recording.objects("gap")
        #expect(gaps.count == 1)
        let expected: JSONObject = [
            "resource": "light", "cause": "missing", "fromNanoseconds": .integer(3 * second),
            "untilNanoseconds": .integer(6 * second),
            "messages": ["epoch": .string(epochs[0]), "from": 4, "to": 5],
        ]
        #expect(gaps.first == expected)
        try recording.take(HostMessages.light(5, isLate: true), HostMessages.light(4, isLate: true))
        #expect(recording.numbers("van.late.ndjson") == [5, 4])
        let late = recording.lines("van.late.ndjson").map { $0["recording"] != nil }
        #expect(late == [true, false, false, true, false, false], "each session goes forward")
        #expect(try recording.command.finish() == "6 messages of 1 host, 0 missing that were not reported as lost")
    }

    @Test("a session begins with each step of the clock, and with each boot")
    func sessions() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)), HostMessages.light(2),
            HostMessages.light(3, HostMessages.clock(3, 1_800_000_000)),
            HostMessages.light(5, #","lost":{"epoch":"\#(epochs[0])","from":4,"to":4,"cause":"gone"}"#),
            HostMessages.light(
                1, epoch: epochs[1], boot: 5,
                #","began":{"previous":"\#(epochs[0])","last":5,"cause":"powerLoss"}"#
                    + HostMessages.clock(0, 1_900_000_000, bootID: epochs[2])))
        try recording.wait(2)
        #expect(recording.numbers() == [1, 2, 3, 5, 1], "what is reported as lost is not waited for")
        let headers = recording.objects("recording")
        #expect(
            headers.compactMap { $0.integer("utcMicroseconds") }
                == [1_700_000_000, 1_800_000_000, 1_900_000_000].map { $0 * 1_000_000 })
        #expect(headers.map { $0["bootId"] } == [.string(epochs[3]), .string(epochs[3]), .string(epochs[2])])
        #expect(recording.objects("gap").map { $0["untilNanoseconds"] } == [.integer(5 * second)], "and is a gap")
        #expect(recording.objects("gap").map { $0["cause"] } == ["gone"], "with its cause")
    }

    @Test("messages of several resources around a step do not lead from one session to the other and back")
    func alternating() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        func pressure(_ number: Int, at stamp: Int64, isLate: Bool = false) -> ServerMessage {
            HostMessages.message(
                isLate ? "pressure/late" : "pressure",
                #"{"epoch":"\#(epochs[0])","number":\#(number),"readings":[{"resource":"pressure","sequence":\#(number),"#
                    + #""timestampNanoseconds":\#(stamp * second),"values":{"columns":{"value":[1.5]}}}]}"#)
        }
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)), pressure(1, at: 1),
            HostMessages.light(3, HostMessages.clock(3, 1_800_000_000)), HostMessages.light(2, isLate: true),
            pressure(2, at: 2), HostMessages.light(4), pressure(3, at: 2), pressure(4, at: 5))
        #expect(recording.objects("recording").count == 2)
        #expect(recording.objects("message").count == 8)
    }

    @Test("a backlog of one boot and live messages of the next one do not lead from session to session")
    func boots() throws {
        var recording = try RecordingRig(TemporaryDirectory(), hold: 60)
        func pressure(
            _ number: Int, epoch: String, isLate: Bool = false, _ members: String = ""
        ) -> ServerMessage {
            HostMessages.message(
                isLate ? "pressure/late" : "pressure",
                #"{"epoch":"\#(epoch)","number":\#(number),"readings":[{"resource":"pressure","sequence":\#(number),"#
                    + #""timestampNanoseconds":\#(Int64(number) * second),"values":{"columns":{"value":[1.5]}}}]\#(members)}"#
            )
        }
        func next(_ last: Int) -> String {
            #","began":{"previous":"\#(epochs[0])","last":\#(last),"cause":"powerLoss"}"#
                + HostMessages.clock(0, 1_800_000_000, bootID: epochs[2])
        }
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)),
            pressure(1, epoch: epochs[0], HostMessages.began()), HostMessages.light(1, epoch: epochs[1], next(1)),
            pressure(1, epoch: epochs[1], next(20)))
        for number in 2...20 {
            try recording.take(
                HostMessages.light(number, epoch: epochs[1]), pressure(number, epoch: epochs[0], isLate: true))
            try recording.wait(1)
        }
        #expect(recording.objects("recording").count == 1)
        try recording.wait(3)
        #expect(recording.objects("recording").count == 2 && recording.objects("message").count == 42)
    }

    private static func unset(_ boot: Int64, _ utc: Int64, isSynchronized: Bool = false) -> String {
        HostMessages.clock(boot, utc).replacing("true", with: "\(isSynchronized)")
    }

    private func sessions(_ recording: borrowing RecordingRig, _ name: String = "van.ndjson") -> [String] {
        recording.objects("recording", name).map { header in
            let utc = header.integer("utcMicroseconds") ?? 0
            return "\((utc - (header.integer("bootNanoseconds") ?? 0) / 1_000) / 1_000_000)"
                + (header["synchronized"] == .bool(true) ? "" : "?")
        }
    }

    @Test(
        "what was measured before the clock was set gets its date once that is known, where it stands",
        arguments: [true, false])
    func dated(isContinued: Bool) throws {
        let folder = try TemporaryDirectory()
        do {
            var recording = try RecordingRig(folder)
            try recording.take(
                HostMessages.light(1, HostMessages.began() + Self.unset(0, 5_000)), HostMessages.light(2),
                HostMessages.light(4))
            try recording.wait(3)
            try recording.take(HostMessages.light(3, isLate: true))
            #expect(sessions(recording) == ["5000?"] && sessions(recording, "van.late.ndjson") == ["5000?"])
            if !isContinued {
                try recording.take(HostMessages.light(5, HostMessages.clock(5, 1_700_000_005)))
                #expect(sessions(recording) == ["1700000000"], "and it goes on in the same session")
                #expect(sessions(recording, "van.late.ndjson") == ["1700000000"])
                #expect(recording.numbers() == [1, 2, 4, 5] && recording.objects("gap").count == 1)
            }
            _ = try recording.command.finish()
        }
        guard isContinued else { return }
        var recording = try RecordingRig(folder)
        // Another run of the bridge states it, of the same boot.
        try recording.take(
            HostMessages.light(5),
            HostMessages.status(
                "online", epoch: epochs[0], HostMessages.clock(9, 1_700_000_009)))
        try recording.wait(3)
        #expect(Set(sessions(recording)) == ["1700000000"] && recording.numbers() == [1, 2, 4, 5])
    }

    @Test("a clock that follows no reference was set when it jumped forward, and a jump back changes nothing before it")
    func byHand() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(
            HostMessages.light(1, HostMessages.began() + Self.unset(0, 5_000)), HostMessages.light(2),
            HostMessages.light(3, Self.unset(3, 1_700_000_003)), HostMessages.light(4),
            HostMessages.light(5, Self.unset(5, 9_005)), HostMessages.light(6))
        #expect(sessions(recording) == ["1700000000?", "9000?"])
    }

    @Test("a twin does not banish a host to the late recording for good")
    func twin() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)))
        for number in 1...9 {
            try recording.take(
                HostMessages.light(number + 1),
                HostMessages.light(
                    number, epoch: epochs[1], boot: Int64(number),
                    number == 1 ? HostMessages.began() + HostMessages.clock(1, 1_700_000_000, bootID: epochs[2]) : ""))
            try recording.wait(1)
        }
        for number in 11...20 {
            try recording.take(HostMessages.light(number))
            try recording.wait(1)
        }
        #expect(recording.numbers().suffix(7) == [14, 15, 16, 17, 18, 19, 20])
        let all = recording.objects("message") + recording.objects("message", "van.late.ndjson")
        #expect(all.count == 29, "and each is there once")
    }

    @Test("what was not read at the end of a boot is a gap in the session of that boot")
    func formerGap() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)),
            HostMessages.light(
                1, epoch: epochs[1], boot: 5,
                #","began":{"previous":"\#(epochs[0])","last":1,"cause":"powerLoss","knownNanoseconds":0,"gap":"#
                    + #"{"bootId":"\#(epochs[3])","cause":"powerLoss","fromNanoseconds":1000000001,"untilNanoseconds":9000000000}}"#
                    + HostMessages.clock(0, 1_900_000_000, bootID: epochs[2])))
        try recording.wait(3)
        let keys = recording.lines().compactMap { $0.members.first?.key }
        #expect(keys == ["recording", "resource", "message", "gap", "recording", "resource", "message"])
        let expected: JSONObject = [
            "resource": "light", "cause": "powerLoss", "fromNanoseconds": .integer(second + 1),
            "untilNanoseconds": .integer(9 * second),
        ]
        #expect(recording.objects("gap") == [expected])
    }

    /// A recording of two messages, which has ended in order.
    private func recordTwo(in folder: TemporaryDirectory) throws {
        var rig = try RecordingRig(folder)
        try rig.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)), HostMessages.light(2))
        _ = try rig.command.finish()
    }

    @Test("a recording is continued after what it has, also after half a line, however long", arguments: [0, 3 << 20])
    func continued(length: Int) throws {
        let folder = try TemporaryDirectory()
        try recordTwo(in: folder)
        let whole = try #require(folder.text(of: "van.ndjson"))
        folder.write(whole + "{\"resource\":\"li" + String(repeating: "g", count: length), to: "van.ndjson")
        var second = try RecordingRig(folder)
        try second.take(HostMessages.light(2), HostMessages.light(3), HostMessages.light(4))
        try second.wait(3)
        #expect(second.numbers() == [1, 2, 3, 4] && second.objects("gap").isEmpty)
        #expect(folder.text(of: "van.ndjson")?.hasPrefix(whole) == true)
    }

    @Test("a gap after a pause begins with what was measured before it")
    func pause() throws {
        let folder = try TemporaryDirectory()
        try recordTwo(in: folder)
        var recording = try RecordingRig(folder)
        try recording.take(HostMessages.light(5))
        try recording.wait(3)
        #expect(recording.numbers() == [1, 2, 5])
        #expect(recording.objects("gap").map { $0["fromNanoseconds"] } == [.integer(2 * second)])
        #expect(recording.objects("gap").map { $0["untilNanoseconds"] } == [.integer(5 * second)])
    }

    @Test("a reading that a new epoch repeats is recorded once")
    func repeated() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(
            HostMessages.light(1, HostMessages.began() + HostMessages.clock(1, 1_700_000_000)),
            HostMessages.message(
                "light",
                #"{"epoch":"\#(epochs[1])","number":1,"began":{"previous":"\#(epochs[0])","last":1,"cause":"restart"},"#
                    + #""readings":[{"resource":"light","sequence":1,"timestampNanoseconds":1000000000}]}"#),
            HostMessages.message(
                "light",
                #"{"epoch":"\#(epochs[1])","number":2,"readings":[{"resource":"light","sequence":2,"timestampNanoseconds":2000000000}]}"#
            ))
        try recording.wait(3)
        #expect(recording.lines().compactMap { $0.integer("sequence") } == [1, 2])
    }

    @Test("until the host has sent its clock, the time is a guess that is marked as one")
    func guessed() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        try recording.take(HostMessages.light(1, HostMessages.began()))
        try recording.wait(3)
        #expect(recording.objects("recording").map { $0["guessed"] } == [true])
    }

    @Test("what is missing is asked for, unless that is not wanted", arguments: [true, false])
    func asked(resends: Bool) throws {
        var recording = try RecordingRig(TemporaryDirectory(), hold: 60, resends: resends)
        try recording.take(
            HostMessages.light(1, HostMessages.began()), HostMessages.light(4),
            HostMessages.status("online", #"{"light":{"last":4}}"#))
        var hosts: Set<String> = []
        var texts: [String] = []
        for _ in 0..<20 {
            for ask in recording.command.asks(recording.now) {
                hosts.insert(ask.host)
                texts.append(String(decoding: ask.request.payload, as: UTF8.self))
            }
            try recording.wait(1)
        }
        #expect(hosts == (resends ? ["van"] : []))
        #expect(texts.allSatisfy { $0.contains(#""from":2,"to":3"#) } && texts.count < 6)
    }

    @Test("hostile names of hosts do no harm")
    func names() throws {
        let folder = try TemporaryDirectory()
        var recording = try RecordingRig(folder)
        for host in [
            "..", ".hidden", "a b", String(repeating: "x", count: 128), String(repeating: "ü", count: 90), "%41", "é",
            "e\u{301}",
        ] {
            try recording.take(HostMessages.light(1, host: host, HostMessages.began()))
            try recording.take(HostMessages.light(2, host: host))
        }
        try recording.wait(3)
        let recordings: Set<String> = folder.names.filter { $0.hasSuffix(".ndjson") }
        #expect(
            recordings == [
                "%2E..ndjson", "%2Ehidden.ndjson", "a%20b.ndjson", String(repeating: "x", count: 128) + ".ndjson",
                "%2541.ndjson", "%C3%A9.ndjson",
            ])
        #expect(recording.notes.all.count == 2, "\(recording.notes.all)")
        #expect(recording.notes.all.first?.hasSuffix("is recorded: its name is longer than 128 bytes") == true)
        #expect(recording.notes.all.last?.hasSuffix("its name looks like that of another host") == true)
    }

    @Test("no two hosts have a file in common, and every name that a host may have fits")
    func files() throws {
        let names = [
            "a", "a.late", "a.late.late", ".late", "A", "a%2Elate", "\u{600}.late", "\u{600}", "ü", "u\u{308}", "%_ue",
            String(repeating: "ü", count: 40), String(repeating: "ü", count: 64),
            String(repeating: "ü", count: 63) + "ua",
            String(repeating: "\u{1}", count: 128),
        ]
        let files = names.compactMap { RecordingPath.name(of: $0) }
            .flatMap { [$0 + RecordingPath.ending, $0 + RecordingPath.lateEnding] }
        #expect(files.count == 2 * names.count && Set(files.map { Array($0.utf8) }).count == files.count)
        #expect(files.allSatisfy { $0.utf8.count <= 255 && !$0.contains("/") && !$0.hasPrefix(".") })
        #expect(files.first == "a.ndjson" && files.contains("a%2Elate.ndjson"))
        #expect(RecordingPath.name(of: String(repeating: "x", count: 128), atMost: 100) == nil)
    }

    @Test("what cannot be recorded is noted once")
    func notedOnce() throws {
        var recording = try RecordingRig(TemporaryDirectory())
        for _ in 0..<3 { try recording.take(HostMessages.message("light", "nonsense")) }
        #expect(
            recording.notes.all == ["not everything of van is recorded: it sent something that cannot be read"])
    }

    @Test("a file that is no recording is left alone, and costs its host and no other", arguments: ["van", "van.late"])
    func others(file: String) throws {
        let folder = try TemporaryDirectory()
        folder.write("not a recording\n", to: "\(file).ndjson")
        var recording = try RecordingRig(folder)
        for number in 1...3 { try recording.take(HostMessages.light(number), HostMessages.light(number, host: "bus")) }
        #expect(recording.numbers("bus.ndjson") == [1, 2, 3])
        #expect(folder.text(of: "\(file).ndjson") == "not a recording\n")
        let reason = "\(folder.path)/\(file).ndjson is not a recording: move it away and start again"
        #expect(recording.notes.all == ["not everything of van is recorded: \(reason)"])
        #expect(try recording.command.finish() == "3 messages of 1 host, 0 missing that were not reported as lost")
    }

    @Test("a directory belongs to one program")
    func directories() throws {
        let folder = try TemporaryDirectory()
        var recording = try RecordingRig(folder)
        do {
            _ = try RecordingRig(folder)
            Issue.record("two programs record to one directory")
        } catch let failure as Failure {
            #expect(failure.status.rawValue == 73 && failure.description.contains("another program records to"))
        }
        try recording.wait(0)
    }
}
