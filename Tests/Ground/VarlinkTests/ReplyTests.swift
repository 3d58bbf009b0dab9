import Testing
import Varlink

@Suite struct ReplyTests {
    private func encoded(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return text(writer.bytes)
    }

    @Test("a reply has its parameters, and `continues` only if it is true")
    func replies() {
        #expect(encoded { $0.reply(["a": 1]) } == #"{"parameters":{"a":1}}␀"#)
        #expect(encoded { $0.reply(["a": 1], continues: true) } == #"{"parameters":{"a":1},"continues":true}␀"#)
    }

    @Test("a reply without parameters leaves them out")
    func emptyReplies() {
        #expect(encoded { $0.reply() } == "{}␀")
        #expect(encoded { $0.reply(continues: true) } == #"{"continues":true}␀"#)
    }

    @Test("a reply can be written piece by piece")
    func pieces() {
        let reply = encoded {
            $0.beginReply()
            $0.key("readings")
            $0.beginArray()
            $0.raw(bytes("{\"x\":1.0}"))
            $0.endArray()
            $0.endReply(continues: true)
            $0.beginReply()
            $0.endReply()
        }
        #expect(reply == #"{"parameters":{"readings":[{"x":1.0}]},"continues":true}␀{}␀"#)
    }

    private static let errors: [(VarlinkError, String)] = [
        (
            .interfaceNotFound("a.b"),
            #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"a.b"}}␀"#
        ),
        (.methodNotFound("a.b.C"), #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"a.b.C"}}␀"#),
        (
            .methodNotImplemented("a.b.C"),
            #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.b.C"}}␀"#
        ),
        (.invalidParameter("x"), #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"x"}}␀"#),
        (.permissionDenied, #"{"error":"org.varlink.service.PermissionDenied"}␀"#),
        (.expectedMore, #"{"error":"org.varlink.service.ExpectedMore"}␀"#),
        (.expectedUpgrade, #"{"error":"org.varlink.service.ExpectedUpgrade"}␀"#),
        (.other(name: "a.b.Full", parameters: ["limit": 3]), #"{"error":"a.b.Full","parameters":{"limit":3}}␀"#),
        (.other(name: "a.b.TimedOut", parameters: [:]), #"{"error":"a.b.TimedOut"}␀"#),
    ]

    @Test("an error is written with name and parameters, and read back", arguments: errors)
    func roundTrip(error: VarlinkError, json: String) throws {
        var writer = JSONWriter()
        writer.reply(error)
        #expect(text(writer.bytes) == json)
        #expect(try Reply(parsing: writer.bytes.dropLast()) == .failure(error))
    }

    @Test("a Varlink error without its parameter is passed on unchanged")
    func incompleteError() throws {
        let reply = try Reply(parsing: bytes(#"{"error":"org.varlink.service.MethodNotFound"}"#))
        #expect(reply == .failure(.other(name: "org.varlink.service.MethodNotFound", parameters: [:])))
    }

    private static let good: [(String, Reply)] = [
        ("{}", .success(Parameters([:]), continues: false)),
        (#"{"parameters":null}"#, .success(Parameters([:]), continues: false)),
        (#"{"parameters":{"a":1},"continues":false,"error":null}"#, .success(Parameters(["a": 1]), continues: false)),
        (#"{"continues":true}"#, .success(Parameters([:]), continues: true)),
        (#"{"parameters":{},"future":1}"#, .success(Parameters([:]), continues: false)),
    ]

    @Test("replies are parsed, and unknown members ignored", arguments: good)
    func reads(json: String, reply: Reply) throws {
        #expect(try Reply(parsing: bytes(json)) == reply)
    }

    private static let malformed: [(String, MalformedReply)] = [
        ("", .json(JSONError(.unexpectedEnd, at: 0))), ("[]", .notAnObject),
        (#"{"parameters":1}"#, .parametersNotAnObject), (#"{"continues":1}"#, .continuesNotBoolean),
        (#"{"error":1}"#, .errorMisplaced), (#"{"error":"a.b.C","continues":true}"#, .errorMisplaced),
    ]

    @Test("an invalid reply is refused with the reason", arguments: malformed)
    func refuses(json: String, reason: MalformedReply) {
        #expect(throws: reason) { try Reply(parsing: bytes(json)) }
    }
}
