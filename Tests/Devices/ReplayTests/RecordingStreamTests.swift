import Readings
import Testing

@testable import Replay

struct RecordingStreamTests {
    /// The events of a text that is read in pieces of a size.
    private static func events(_ text: String, by size: Int = 7) throws -> ([RecordingStream.Event], RecordingStream) {
        var stream = RecordingStream()
        var events: [RecordingStream.Event] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try stream.add(Array(bytes[start..<min(bytes.count, start + size)]))
            while let event = try stream.next() { events.append(event) }
        }
        return (events, stream)
    }

    private static let text = """
        {"recording":{"format":"io.sensorbroker.recording","version":1,"bootNanoseconds":1000,"utcMicroseconds":2000}}
        {"resource":{"name":"accelerometer","kind":"acceleration","state":"active"},"atNanoseconds":1001}
        {"resource":"accelerometer","sequence":0,"timestampNanoseconds":1002,"values":{"columns":{"x":[0.5],"y":[-1.0e-3],"z":[9]}}}
        {"resource":"light","sequence":3,"timestampNanoseconds":1003,"values":{"columns":{"value":[1.5,2.5]},"periodNanoseconds":10}}
        {"gap":{"resource":"accelerometer","cause":"slowClient","count":2,"fromNanoseconds":1003,"untilNanoseconds":1004}}
        {"what":"a later version writes"}
        {"grant":{"resource":"b","intervalNanoseconds":10,"batchNanoseconds":0}}
        {"resource":{"name":"b","kind":"pressure","state":"idle"},"atNanoseconds":1004}
        {"resource":"unheard","sequence":1,"timestampNanoseconds":1005,"values":{"columns":{"u":[1.0,2.0]},"periodNanoseconds":1}}

        {"resource":"accelerometer","sequence":1,"timestampNanoseconds":1005,"values":{"columns":{"x":[1.0],"y":[2.0],"z":[3.0]}}}
        {"resource":"accelerometer","sequence":2,"timestampNanoseconds":10
        """

    @Test(
        "lines become events, however the file is cut into pieces; half a last line is none",
        arguments: [1, 7, 64, 10_000])
    func lines(size: Int) throws {
        let (events, stream) = try Self.events(Self.text, by: size)
        func acceleration(_ x: Double, _ y: Double, _ z: Double) -> Measurement {
            .values(Values(.acceleration, SIMD4(x, y, z, 0)))
        }
        #expect(stream.resources.map(\.name.description) == ["accelerometer", "light", "b"])
        #expect(stream.unknownSamples == 2)
        #expect(
            events == [
                .session(RecordedClocks(bootNanoseconds: 1_000, utcMicroseconds: 2_000)),
                .state(resource: 0, .active, atNanoseconds: 1_001),
                .sample(resource: 0, sequence: 0, atNanoseconds: 1_002, acceleration(0.5, -0.001, 9)),
                .sample(
                    resource: 1, sequence: 3, atNanoseconds: 1_003, .values(Values(.illuminance, SIMD4(1.5, 0, 0, 0)))),
                .sample(
                    resource: 1, sequence: 4, atNanoseconds: 1_013, .values(Values(.illuminance, SIMD4(2.5, 0, 0, 0)))),
                .gap(
                    resource: 0,
                    Gap(
                        cause: .slowClient, count: 2, from: BootTime(nanoseconds: 1_003),
                        until: BootTime(nanoseconds: 1_004)), cause: "slowClient"),
                .interval(resource: 2, nanoseconds: 10, isDecimated: true),
                .sample(resource: 0, sequence: 1, atNanoseconds: 1_005, acceleration(1, 2, 3)),
            ])
    }

    @Test("a gap whose cause no broker reports is a gap all the same, with its own word; of such words there are a few")
    func otherCauses() throws {
        let header = Self.text.split(separator: "\n")[0...2].joined(separator: "\n")
        let gaps = (0..<40).map { number in
            #"{"gap":{"resource":"accelerometer","cause":"evicted\#(number)","fromNanoseconds":1003,"untilNanoseconds":1004}}"#
        }
        let (events, _) = try Self.events(([header] + gaps).joined(separator: "\n") + "\n")
        let causes = events.compactMap { event in
            if case .gap(_, let gap, let cause) = event, gap.cause == .slowClient { cause } else { nil }
        }
        #expect(causes.count == 40 && causes[0] == "evicted0" && Set(causes).count == 17 && causes[39] == "other")
    }

    @Test("the quick reader of plain lines takes only what JSONReader takes, and takes the same from it")
    func plain() throws {
        let line =
            #"{"resource":"accelerometer","sequence":12,"timestampNanoseconds":1002,"values":{"columns":{"x":[0.5],"y":[-1.25e-3],"z":[9]}}}"#
        let resources = [RecordingStream.Resource(name: .accelerometer, kind: .acceleration)]
        var taken = 0
        let replacements = ["", "0", "-", ".", "e", "\"", "]", "}", ",", " ", "é", "99999999999999999999"]
        for place in line.indices {
            for replacement in replacements {
                let text = String(line[..<place]) + replacement + String(line[line.index(after: place)...])
                var quick = PlainLine()
                let bytes = Array(text.utf8)
                guard let event = quick.event(in: bytes, bytes.indices, resources) else { continue }
                taken += 1
                // With a blank before it, the line is left to JSONReader.
                let (events, _) = try Self.events(" \(text)\n")
                #expect(events == [event], "\(text)")
            }
        }
        #expect(taken > 20)
    }

    @Test(
        "a line that cannot be understood is left out, counted and reported with its number",
        arguments: [
            "{", "[]", #"{"gap":{}}"#, #"{"sequence":1}"#, "{\"a\":\u{1}}",
            // A host of a fleet sends what it likes.
            #"{"resource":"light","sequence":4,"timestampNanoseconds":-5,"values":{"columns":{"value":[1.0]}}}"#,
            #"{"resource":"light","sequence":4,"timestampNanoseconds":5,"values":{"columns":{"lux":[1.0]}}}"#,
            #"{"resource":{"name":"light","kind":"temperature","state":"active"}}"#,
            #"{"recording":{"format":"another"},"sequence":-1}"#,
        ])
    func broken(line: String) throws {
        var lines = Self.text.split(separator: "\n").map { String($0) }
        let (whole, _) = try Self.events(Self.text)
        lines.insert(line, at: 4)
        lines.insert(line, at: 4)
        let (events, stream) = try Self.events(lines.joined(separator: "\n"))
        #expect(events == whole && stream.invalidLines == 2)
        guard case .line(5, _)? = stream.firstInvalid else {
            Issue.record("\(String(describing: stream.firstInvalid))")
            return
        }
    }

    @Test(
        "what is no recording is refused, and so is one in which a session begins that cannot be understood",
        arguments: [
            ("", "junk"), ("", "[]"), ("{}", #"{"recording":{"format":"io.sensorbroker.recording","version":2}}"#),
            ("{}", #"{"recordinG":{"format":"io.sensorbroker.recording","version":1,"bootNanoseconds":1,,}}"#),
            ("{}", #"{"recording":{"format":"io.sensorbroker.rec0rding","version":1,"bootNanoseconds":1,,}}"#),
        ])
    func noHeader(first: String, second: String) {
        #expect {
            _ = try Self.events("\(first)\n\(second)\n{}\n")
        } throws: { error in
            guard case .line(2, _)? = error as? RecordingError else { return false }
            return true
        }
    }

    @Test("in a further file the session goes on, unless the file before is not there or the clock was set")
    func furtherFiles() throws {
        func header(_ boot: Int, _ utc: Int, continues former: Int? = nil) -> String {
            let former = former.map { ",\"continuesNanoseconds\":\($0)" } ?? ""
            return #"{"recording":{"format":"io.sensorbroker.recording","version":1,"#
                + "\"bootNanoseconds\":\(boot),\"utcMicroseconds\":\(utc)\(former)}}"
        }
        func sessions(_ headers: String...) throws -> Int {
            try Self.events(headers.joined(separator: "\n") + "\n").0.count
        }
        let first = header(1_000_000, 5_001_000)
        let second = header(2_000_000, 5_002_000, continues: 1_000_000)
        #expect(try sessions(first, second, header(3_000_000, 5_003_001, continues: 2_000_000)) == 1)
        #expect(try sessions(first, header(3_000_000, 5_003_000, continues: 2_000_000)) == 2)
        #expect(try sessions(first, header(2_000_000, 5_202_000, continues: 1_000_000)) == 2)
        #expect(try sessions(first, header(2_000_000, 5_002_000)) == 2)
        #expect(try sessions(second, first) == 2)
        #expect(try sessions(first, "{\"subscription\":\"s\"}", second) == 1)
    }

    @Test("of several files, each is a recording")
    func files() throws {
        var stream = RecordingStream()
        try stream.add(Array("{}\njunk\n".utf8))
        #expect(try stream.next() == nil && stream.invalidLines == 1)
        stream.beginFile()
        try stream.add(Array("junk\n".utf8))
        #expect(throws: RecordingError.self) { try stream.next() }
    }

    @Test(
        "a line with zeros, as a power failure leaves them in the middle, is left out and counted",
        arguments: [1, 10_000])
    func damaged(size: Int) throws {
        var lines = Self.text.split(separator: "\n").map { String($0) }
        lines[2] = String(lines[2].prefix(40)) + String(repeating: "\0", count: 5_000) + String(lines[2].suffix(9))
        let (events, stream) = try Self.events(lines.joined(separator: "\n"), by: size)
        let (whole, _) = try Self.events(Self.text)
        #expect(stream.damagedLines == 1 && events == Array(whole[..<2] + whole[3...]))
    }

    @Test("a stream has the samples of the recording that is replayed")
    func sameAsRecording() throws {
        let whole = String(Self.text.dropLast())
        let recording = try Recording(parsing: Array(whole.utf8))
        let (events, stream) = try Self.events(whole)
        for (number, resource) in stream.resources.enumerated() {
            let track = recording.tracks.first { $0.name == resource.name }
            let samples = events.compactMap { event -> Measurement? in
                guard case .sample(number, _, _, let measurement) = event else { return nil }
                return measurement
            }
            #expect(track?.samples.map(\.measurement) ?? [] == samples)
        }
    }
}
