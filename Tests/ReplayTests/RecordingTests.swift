import Readings
import Testing

@testable import Replay

@Suite("A recording") struct RecordingTests {
    private let lines = """
        {"subscription":"s1"}
        {"resource":{"name":"accelerometer","kind":"acceleration","state":"active"}}
        {"resource":"accelerometer","sequence":4,"timestampNanoseconds":1000,"acceleration":{"x":[0.5,1.0],"y":[0.0,0.0],"z":[9.8,9.9],"periodNanoseconds":10}}
        {"gap":{"resource":"accelerometer","cause":"slowClient","fromNanoseconds":1010,"untilNanoseconds":1020}}
        {"resource":"location","sequence":0,"timestampNanoseconds":900,"location":{"fix":"3d","latitudeDegrees":48.0,"longitudeDegrees":11.0}}
        {"resource":"accelerometer","sequence":9,"timestampNanoseconds":1050,"acceleration":{"x":[2.0],"y":[0.0],"z":[9.7]}}

        """

    @Test("has a track a resource, with times from its first sample on")
    func tracks() throws {
        let recording = try Recording(parsing: Array(lines.utf8))
        #expect(recording.tracks.map(\.name) == [.accelerometer, .location])
        #expect(recording.tracks.map(\.kind) == [.acceleration, .location])
        #expect(recording.tracks[0].samples.map(\.offsetNanoseconds) == [100, 110, 150])
        #expect(recording.tracks[1].samples.map(\.offsetNanoseconds) == [0])
        #expect(recording.tracks[0].samples[1].measurement == .acceleration(Acceleration(x: 1, y: 0, z: 9.9)))
    }

    @Test("that was cut off in a line has all the lines before")
    func cut() throws {
        for length in [1, 20, 150] {
            let recording = try Recording(parsing: Array(lines.utf8.dropLast(length)))
            #expect(recording.tracks[0].samples.count == 2)
        }
    }

    @Test(
        "that is none is refused by line",
        arguments: [
            ("junk\n", 1), ("\n[1]\n", 2), ("{\"sequence\":1}\n", 1),
            ("{\"sequence\":1,\"resource\":\"../x\",\"timestampNanoseconds\":1}\n", 1),
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

    @Test("of two runs in one file is refused where the second begins")
    func backwards() {
        let twice = lines + lines
        #expect(throws: RecordingError.self) { try Recording(parsing: Array(twice.utf8)) }
    }

    @Test("without a reading, or without a file, says so")
    func nothing() {
        #expect(throws: RecordingError.empty) { try Recording(parsing: []) }
        #expect(throws: RecordingError.empty) { try Recording(parsing: Array("{\"gap\":{}}\n".utf8)) }
        let error = #expect(throws: RecordingError.self) { try Recording(path: "/nowhere/at all") }
        #expect(error?.description.contains("/nowhere/at all") == true)
    }
}
