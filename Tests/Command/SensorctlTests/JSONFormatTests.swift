import BrokerClient
import Testing
import Varlink

@testable import sensorctl

@Suite struct JSONFormatTests {
    private let format = JSONFormat()

    @Test("a reading is the broker's own object on one line")
    func reading() throws {
        let rows = format.rows(of: try Examples.reading(Examples.acceleration))
        #expect(
            rows == [
                #"{"resource":"accelerometer","sequence":40,"timestampNanoseconds":1000000000,"values":"#
                    + #"{"columns":{"x":[0.012,0.5],"y":[-0.034,-1.0],"z":[9.807,-10.25]},"periodNanoseconds":20000000}}"#
            ])
    }

    @Test("unknown members are passed on")
    func unknownMembers() throws {
        let object: JSONObject = [
            "resource": "compass", "sequence": 1, "timestampNanoseconds": 2, "heading": ["degrees": 90.0],
        ]
        let rows = format.rows(of: try Examples.reading(object))
        #expect(try rows.map { try JSONReader.read(Array($0.utf8)) } == [.object(object)])
    }

    @Test("text that could control a terminal is escaped, and is the same when parsed")
    func controlCharacters() throws {
        let object: JSONObject = ["resource": "a\u{1B}b\u{7F}c\u{9B}d\u{A0}é\u{202E}\u{61C}"]
        let line = JSONFormat.line(object)
        #expect(line == "{\"resource\":\"a\\u001bb\\u007fc\\u009bd\u{A0}é\\u202e\\u061c\"}")
        #expect(try JSONReader.read(Array(line.utf8)) == .object(object))
    }

    @Test("events are objects under a key of their own")
    func events() throws {
        func line(_ event: StreamEvent) -> String { format.line(about: event, atNanoseconds: 0) ?? "" }
        #expect(line(.subscription("5f3a")) == #"{"subscription":"5f3a"}"#)
        #expect(line(.ended("shutdown")) == #"{"ended":"shutdown"}"#)
        #expect(line(.gap(try Gap(Parameters(Examples.gap)))).hasPrefix(#"{"gap":{"resource":"accelerometer","#))
        #expect(line(.resource(try Examples.resource(0))).hasPrefix(#"{"resource":{"name":"location","#))
        let grant = try Grant(Parameters(Examples.grant))
        #expect(line(.grant(grant, revision: 3)).hasSuffix(#"},"revision":3}"#))
        #expect(!line(.grant(grant, revision: nil)).contains("revision"))
    }

    @Test("a line stays a line")
    func newlines() {
        #expect(!JSONFormat.line(["a": "b\nc"]).contains("\n"))
    }
}
