import Devices
import Readings
import Testing

@testable import Replay

@Suite("A recording") struct RecordingTests {
    private let lines = """
        {"subscription":"s1"}
        {"resource":{"name":"accelerometer","kind":"acceleration","state":"active"}}
        {"resource":"accelerometer","sequence":4,"timestampNanoseconds":1000,"values":{"columns":{"x":[0.5,1.0],"y":[0.0,0.0],"z":[9.8,9.9]},"periodNanoseconds":10}}
        {"gap":{"resource":"accelerometer","cause":"slowClient","fromNanoseconds":1010,"untilNanoseconds":1020}}
        {"resource":"location","sequence":0,"timestampNanoseconds":900,"location":{"fix":"3d","latitudeDegrees":48.0,"longitudeDegrees":11.0}}
        {"resource":"accelerometer","sequence":9,"timestampNanoseconds":1050,"values":{"columns":{"x":[2.0],"y":[0.0],"z":[9.7]}}}

        """

    @Test("has a track per resource, with times from its first sample on")
    func tracks() throws {
        let recording = try Recording(parsing: Array(lines.utf8))
        #expect(recording.tracks.map(\.name) == [.accelerometer, .location])
        #expect(recording.tracks.map(\.kind) == [.acceleration, .location])
        #expect(recording.tracks[0].samples.map(\.offsetNanoseconds) == [100, 110, 150])
        #expect(recording.tracks[1].samples.map(\.offsetNanoseconds) == [0])
        #expect(recording.tracks[0].samples[1].measurement == .values(Acceleration(x: 1, y: 0, z: 9.9)))
    }

    @Test(
        "that is compressed is given to the program's decompression, no further than the limit, and refused without one"
    )
    func compressed() throws {
        let bytes = [0x28, 0xB5, 0x2F, 0xFD] + Array(lines.utf8)
        // As it comes: in pieces that have nothing to do with lines.
        let decompression: Recording.Decompression = { bytes, take throws(RecordingError) in
            for start in stride(from: 4, to: bytes.count, by: 50) {
                try take(Array(bytes[start..<min(start + 50, bytes.count)]))
            }
        }
        let count = lines.utf8.count
        let recording = try Recording(parsing: bytes, maximumBytes: count, decompression: decompression)
        #expect(recording.tracks.map { $0.samples.map(\.offsetNanoseconds) } == [[100, 110, 150], [0]])
        #expect(throws: RecordingError.tooLong(count - 1)) {
            try Recording(parsing: bytes, maximumBytes: count - 1, decompression: decompression)
        }
        #expect(throws: RecordingError.compressed) { try Recording(parsing: bytes) }
    }

    @Test("that was truncated within a line has all lines before it")
    func cut() throws {
        for length in [1, 20, 150] {
            let recording = try Recording(parsing: Array(lines.utf8.dropLast(length)))
            #expect(recording.tracks[0].samples.count == 2)
        }
    }

    @Test(
        "that is invalid is refused with the line",
        arguments: [
            ("junk\n", 1), ("\n[1]\n", 2), ("{\"sequence\":1}\n", 1),
            ("{\"sequence\":1,\"resource\":\"../x\",\"timestampNanoseconds\":1}\n", 1),
            ("{\"recording\":{\"format\":\"io.sensorbroker.recording\",\"version\":2}}\n", 1), ("{\"gap\":{}}\n", 1),
            (
                "{\"sequence\":1,\"resource\":\"a\",\"timestampNanoseconds\":1,\"location\":{\"fix\":\"3d\",\"latitudeDegrees\":91.0}}\n",
                1
            ),
            // As before numeric kinds had columns.
            (
                "\n{\"sequence\":1,\"resource\":\"accelerometer\",\"timestampNanoseconds\":1,\"acceleration\":{\"x\":[1.0],\"y\":[0.0],\"z\":[0.0]}}\n",
                2
            ),
            (
                "{\"sequence\":1,\"resource\":\"gyroscope\",\"timestampNanoseconds\":1,\"values\":{\"columns\":{\"x\":[1.0],\"y\":[0.0]}}}\n",
                1
            ),
            (
                "{\"sequence\":1,\"resource\":\"gyroscope\",\"timestampNanoseconds\":1,\"values\":{\"columns\":{\"x\":[1.0,2.0],\"y\":[0.0,0.0],\"z\":[0.0,0.0]},\"timestampsNanoseconds\":[1]}}\n",
                1
            ),
            ("{\"sequence\":1,\"resource\":\"a\",\"timestampNanoseconds\":-5,\"location\":{\"fix\":\"none\"}}\n", 1),
        ])
    func refused(text: String, line: Int) {
        let error = #expect(throws: RecordingError.self) { try Recording(parsing: Array(text.utf8)) }
        guard case .line(let number, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(number == line)
    }

    @Test("of two runs in one file plays them in sequence, whatever the clocks were")
    func twice() throws {
        let recording = try Recording(parsing: Array((lines + lines).utf8))
        #expect(recording.tracks[1].samples.map(\.offsetNanoseconds) == [0, 1_000_000_150])
        #expect(
            recording.tracks[0].samples.map(\.offsetNanoseconds).suffix(3)
                == [100, 110, 150].map { $0 + 1_000_000_150 })
        #expect(recording.lengthNanoseconds == 1_000_000_300)
    }

    @Test("has gaps and states in their places; numbers that restart mean an opening")
    func events() throws {
        let recording = try Recording(
            parsing: Array(
                """
                {"recording":{"format":"io.sensorbroker.recording","version":1,"bootNanoseconds":900,"utcMicroseconds":5}}
                {"grant":{"resource":"a","intervalNanoseconds":0,"batchNanoseconds":0,"deviceIntervalNanoseconds":10}}
                {"atNanoseconds":950,"resource":{"name":"a","kind":"acceleration","state":"idle"}}
                {"atNanoseconds":960,"resource":{"name":"a","kind":"acceleration","state":"active"}}
                {"gap":{"resource":"a","cause":"deviceOverflow","count":2,"fromNanoseconds":1010,"untilNanoseconds":1030}}
                {"resource":"a","sequence":4,"timestampNanoseconds":1000,"values":{"columns":{"x":[1.0,2.0],"y":[0.0,0.0],"z":[0.0,0.0]},"timestampsNanoseconds":[1000,1040]}}
                {"atNanoseconds":1050,"resource":{"name":"a","kind":"acceleration","state":"unavailable","reason":"unplugged"}}
                {"atNanoseconds":1055,"resource":{"name":"a","kind":"acceleration","state":"unavailable","reason":"unplugged"}}
                {"gap":{"resource":"a","cause":"deviceLost","fromNanoseconds":1040,"untilNanoseconds":1100}}
                {"atNanoseconds":1060,"resource":{"name":"a","kind":"acceleration","state":"active"}}
                {"later":true}
                {"resource":"a","sequence":0,"timestampNanoseconds":1100,"values":{"columns":{"x":[3.0],"y":[0.0],"z":[0.0]}}}

                """.utf8))
        func gap(_ cause: Gap.Cause, _ count: Int?, _ from: Int64, _ until: Int64) -> RecordedEvent.Content {
            .gap(
                Gap(cause: cause, count: count, from: BootTime(nanoseconds: from), until: BootTime(nanoseconds: until)))
        }
        func sample(_ sequence: UInt64, _ x: Double) -> RecordedEvent.Content {
            .sample(sequence: sequence, .values(Acceleration(x: x, y: 0, z: 0)))
        }
        let events = recording.tracks[0].events
        #expect(
            events.map(\.content) == [
                .interval(nanoseconds: 10, isDecimated: false), .state(.active), sample(4, 1),
                gap(.deviceOverflow, 2, 10, 30),
                sample(5, 2),
                .state(.unavailable(reason: "unplugged")), gap(.deviceLost, nil, 40, 100), .state(.active), .opened,
                sample(0, 3),
            ])
        #expect(events.map(\.offsetNanoseconds) == [0, 0, 0, 30, 40, 50, 100, 100, 100, 100])
    }

    @Test("does not mix sensors that had the same name in different sessions")
    func others() throws {
        func session(_ kind: Kind, _ columns: String, _ stamp: Int) -> String {
            #"{"recording":{"format":"io.sensorbroker.recording","version":1,"bootNanoseconds":0,"utcMicroseconds":0}}"#
                + "\n" + #"{"resource":{"name":"a","kind":"\#(kind.wire)","state":"active"}}"# + "\n"
                + #"{"resource":"a","sequence":1,"timestampNanoseconds":\#(stamp),"values":{"columns":{\#(columns)}}}"#
                + "\n"
        }
        let axes = #""x":[1.0],"y":[2.0],"z":[3.0]"#
        let first = session(.acceleration, axes, 5)
        for other in [session(.angularVelocity, axes, 6), session(.pressure, #""value":[1.0]"#, 7)] {
            let recording = try Recording(parsing: Array((first + other + first).utf8))
            #expect(recording.tracks.map(\.kind) == [.acceleration])
            #expect(recording.tracks[0].samples.count == 2)
        }
        let mixed = first + session(.angularVelocity, axes, 6).split(separator: "\n")[1] + "\n"
        #expect(throws: RecordingError.self) { try Recording(parsing: Array(mixed.utf8)) }
    }

    @Test("whose resources are years apart is refused, in whichever session")
    func farApart() {
        func reading(_ name: String, _ stamp: Int64) -> String {
            #"{"resource":"\#(name)","sequence":1,"timestampNanoseconds":\#(stamp),"orientation":"normal"}"# + "\n"
        }
        let far = reading("a", 1) + reading("b", .max)
        let near = reading("a", 1) + reading("b", 2)
        for text in [far, near + "{\"subscription\":\"s\"}\n" + far] {
            let error = #expect(throws: RecordingError.self) { try Recording(parsing: Array(text.utf8)) }
            #expect(error.map { "\($0)".contains("years") } == true)
        }
    }

    @Test("of any bytes is refused or has times that never go back")
    func broken() {
        var state: UInt64 = 3
        let bytes = Array(lines.utf8)
        let alphabet = Array("0123456789-{}[]\":,.e\n".utf8)
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                changed[Int(state >> 33) % changed.count] = alphabet[Int(state >> 20 & 0xFFFF) % alphabet.count]
            }
            guard let recording = try? Recording(parsing: changed + changed) else { continue }
            for track in recording.tracks {
                let offsets = track.events.map(\.offsetNanoseconds)
                #expect(offsets == offsets.sorted() && offsets.allSatisfy { $0 >= 0 })
                let timeline = ReplayTimeline(of: recording, goesRound: true)
                var device = ReplayDevice(track, on: timeline) { BootTime(nanoseconds: 1 << 60) }
                var intake = Intake()
                _ = device.open(Demand(intervalNanoseconds: 1, latencyNanoseconds: 86_400_000_000_000))
                for _ in 0..<5 where device.readiness != .at(BootTime(nanoseconds: .max)) { device.read(into: &intake) }
            }
        }
    }

    @Test("without a reading, or without a file, is refused with the reason")
    func nothing() {
        #expect(throws: RecordingError.empty) { try Recording(parsing: []) }
        #expect(throws: RecordingError.empty) { try Recording(parsing: Array("{\"ended\":\"shutdown\"}\n".utf8)) }
        let error = #expect(throws: RecordingError.self) { try Recording(path: "/nowhere/at all") }
        #expect(error?.description.contains("/nowhere/at all") == true)
    }
}
