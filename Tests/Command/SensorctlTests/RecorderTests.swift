import BrokerClient
import Testing
import Varlink

@testable import sensorctl

@Suite("A recorder") struct RecorderTests {
    private static func update(_ members: JSONObject) throws -> Update { try Update(Parameters(members)) }

    @Test("begins with its format and the clocks", arguments: [true, false, nil] as [Bool?])
    func header(isSynchronized: Bool?) {
        let line = Recorder.header([], bootNanoseconds: 5, utcMicroseconds: 7, isSynchronized: isSynchronized)
        #expect(RecordingFormat.followedReference(line.utf8) == isSynchronized)
        #expect(
            Recorder.header([Request(resource: "location")], bootNanoseconds: 5, utcMicroseconds: 7)
                .hasPrefix(#"{"recording":{"format":"io.sensorbroker.recording","version":1,"program":"sensorctl 0."#))
    }

    @Test("writes states with their time, counts readings, and stops at --count")
    func lines() throws {
        var recorder = Recorder()
        let update = try Self.update([
            "subscription": "5f3a", "resources": [Examples.resources[1]], "gaps": [.object(Examples.gap)],
            "readings": [.object(Examples.acceleration), .object(Examples.location)],
        ])
        let lines = try recorder.lines(of: update, atNanoseconds: 9_000_000_000, atMost: 2)
        #expect(lines.count == 3)
        #expect(lines[0].hasSuffix(#","atNanoseconds":9000000000}"#) && lines[1].hasPrefix(#"{"gap":"#))
        #expect(lines[2].hasPrefix(#"{"resource":"accelerometer","sequence":40"#))
        #expect((recorder.readings, recorder.gaps) == (2, 1))
        #expect(recorder.troubles.keys.sorted() == ["accelerometer"])
    }

    @Test("writes the end of a stream after the readings that came with it")
    func end() throws {
        var recorder = Recorder()
        let update = try Self.update(["ended": "shutdown", "readings": [.object(Examples.location)]])
        let lines = try recorder.lines(of: update, atNanoseconds: 0)
        #expect(lines.count == 2 && lines[0].hasPrefix(#"{"resource":"location""#))
        #expect(lines.last == #"{"ended":"shutdown"}"#)
    }

    @Test("follows the broker's clock if that skips idle time")
    func ahead() throws {
        var recorder = Recorder()
        let update = try Self.update(["resources": [Examples.resources[0]], "readings": [.object(Examples.location)]])
        let lines = try recorder.lines(of: update, atNanoseconds: 1_000)
        #expect(lines[0].hasSuffix(#","atNanoseconds":4512345678}"#))
    }

    @Test("stops at --count within a reading of several samples, and writes no sample too many")
    func burst() throws {
        var recorder = Recorder()
        let update = try Self.update(["readings": [.object(Examples.acceleration), .object(Examples.acceleration)]])
        let lines = try recorder.lines(of: update, atNanoseconds: 0, atMost: 3)
        #expect(recorder.readings == 3)
        #expect(lines.count == 2 && lines[0].contains(#""x":[0.012,0.5]"#) && lines[1].contains(#""x":[0.012],"#))
    }

    @Test("what could not be written is told in the next file, without a number if a gap among it had none")
    func missed() throws {
        var recorder = Recorder()
        let readings = try Self.update(["readings": [.object(Examples.acceleration)]])
        for _ in 1...2 {
            _ = try recorder.lines(of: readings, atNanoseconds: 0)
            recorder.miss(readings, samples: 2)
        }
        #expect((recorder.readings, recorder.gaps, recorder.lost) == (0, 1, 4))
        #expect(recorder.opening(atNanoseconds: 0).last?.contains(#""cause":"slowClient","count":4,"#) == true)
        let gap: JSONObject = [
            "resource": "accelerometer", "cause": "deviceLost", "fromNanoseconds": 1_000, "untilNanoseconds": 9_000,
        ]
        let gaps = try Self.update(["gaps": [.object(gap)]])
        _ = try recorder.lines(of: gaps, atNanoseconds: 0)
        recorder.miss(gaps, samples: 0)
        #expect(recorder.gaps == 1)
        let line = try #require(recorder.opening(atNanoseconds: 0).last)
        #expect(line.contains(#""cause":"slowClient","fromNanoseconds":"#) && !line.contains("count"))
        recorder.didReport()
        #expect(recorder.opening(atNanoseconds: 0).isEmpty && recorder.lost == 0)
    }
}
