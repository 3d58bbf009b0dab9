import Testing
import Varlink

@Suite struct CallTests {
    private func call(_ json: String) throws -> Call { try Call(parsing: bytes(json)) }

    @Test("a method's name follows the last dot of its qualified name")
    func names() throws {
        let call = try call(#"{"method":"io.sensorbroker.Broker.Read"}"#)
        #expect(call.qualifiedMethod == "io.sensorbroker.Broker.Read")
        #expect(call.interface == "io.sensorbroker.Broker")
        #expect(call.method == "Read")
        #expect(call.mode == .plain)
    }

    @Test("a name without a dot has no interface", arguments: ["Read", ""])
    func unqualified(name: String) {
        #expect(Call(name).interface == "")
        #expect(Call(name).method == name)
    }

    @Test("absent, null and empty parameters are the same")
    func noParameters() throws {
        let empty = Call("a.b.C")
        #expect(try call(#"{"method":"a.b.C"}"#) == empty)
        #expect(try call(#"{"method":"a.b.C","parameters":null}"#) == empty)
        #expect(try call(#" { "parameters" : { } , "method" : "a.b.C" } "#) == empty)
    }

    @Test("a true flag is encoded, a false one is omitted")
    func modes() throws {
        #expect(try call(#"{"method":"a.b.C","oneway":true}"#).mode == .oneway)
        #expect(try call(#"{"method":"a.b.C","more":true,"oneway":false}"#).mode == .more)
        #expect(try call(#"{"method":"a.b.C","upgrade":true,"more":false}"#).mode == .upgrade)
        #expect(try call(#"{"method":"a.b.C","more":false,"oneway":false,"upgrade":false}"#).mode == .plain)
    }

    @Test("members in reverse-domain form are ignored")
    func extensions() throws {
        #expect(try call(#"{"method":"a.b.C","org.example":{"x":1},"com.ex-ample.2":null}"#) == Call("a.b.C"))
    }

    private static let malformed: [(String, MalformedCall)] = [
        ("", .json(JSONError(.unexpectedEnd, at: 0))),
        ("{\"method\":\"a.b\"", .json(JSONError(.unexpectedEnd, at: 15))),
        (#"{"method":"a.b","method":"a.b"}"#, .json(JSONError(.duplicateKey, at: 16))),
        ("[]", .notAnObject), ("null", .notAnObject), ("\"a.b.C\"", .notAnObject),
        ("{}", .methodMissing), (#"{"parameters":{}}"#, .methodMissing), (#"{"method":null}"#, .methodMissing),
        (#"{"method":1}"#, .methodMissing),
        (#"{"method":"a.b.C","parameters":[]}"#, .parametersNotAnObject),
        (#"{"method":"a.b.C","parameters":"x"}"#, .parametersNotAnObject),
        (#"{"method":"a.b.C","parameters":false}"#, .parametersNotAnObject),
        (#"{"method":"a.b.C","more":1}"#, .flagNotBoolean("more")),
        (#"{"method":"a.b.C","oneway":"true"}"#, .flagNotBoolean("oneway")),
        (#"{"method":"a.b.C","upgrade":null}"#, .flagNotBoolean("upgrade")),
        (#"{"method":"a.b.C","more":true,"oneway":true}"#, .severalFlags),
        (#"{"method":"a.b.C","more":true,"upgrade":true}"#, .severalFlags),
        (#"{"method":"a.b.C","oneway":true,"upgrade":true}"#, .severalFlags),
        (#"{"method":"a.b.C","continues":true}"#, .unknownMember("continues")),
        (#"{"method":"a.b.C","Method":"x"}"#, .unknownMember("Method")),
        (#"{"method":"a.b.C","":1}"#, .unknownMember("")),
        (#"{"method":"a.b.C",".x":1}"#, .unknownMember(".x")),
        (#"{"method":"a.b.C","org.":1}"#, .unknownMember("org.")),
        (#"{"method":"a.b.C","1org.example":1}"#, .unknownMember("1org.example")),
        (#"{"method":"a.b.C","org.-example":1}"#, .unknownMember("org.-example")),
    ]

    @Test("an invalid call is refused with the reason", arguments: malformed)
    func refuses(json: String, reason: MalformedCall) {
        #expect(throws: reason) { try call(json) }
    }

    @Test("a call is encoded without defaults")
    func encoding() {
        var writer = JSONWriter()
        writer.call(Call("a.b.C"))
        writer.call(Call("a.b.C", parameters: ["x": 1], mode: .more))
        writer.call(Call("a.b.C", mode: .oneway))
        #expect(
            text(writer.bytes)
                == #"{"method":"a.b.C"}␀{"method":"a.b.C","parameters":{"x":1},"more":true}␀{"method":"a.b.C","oneway":true}␀"#
        )
    }

    @Test("a call that is encoded is parsed the same", arguments: Call.Mode.allCases)
    func roundTrip(mode: Call.Mode) throws {
        let call = Call("a.b.C", parameters: ["x": ["y": [1.5, nil]]], mode: mode)
        var writer = JSONWriter()
        writer.call(call)
        #expect(try Call(parsing: writer.bytes.dropLast()) == call)
    }
}
