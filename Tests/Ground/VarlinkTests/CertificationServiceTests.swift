import Certification
import Testing
import Varlink

@Suite struct CertificationServiceTests {
    private typealias Step = (name: String, mode: Call.Mode)

    private static let steps: [Step] =
        (1...9).map { ("Test0\($0)", .plain) } + [("Test10", .more), ("Test11", .oneway), ("End", .plain)]

    /// Runs a client, which may change each call before it is sent; what it got back, error or not, by method.
    private func run(
        _ service: inout CertificationService, changing change: (Call) -> Call = { $0 }
    ) throws -> [(method: String, replies: [Reply])] {
        var transcript = [("Start", try send(Call("org.varlink.certification.Start"), to: &service))]
        guard case .success(let start, _) = transcript[0].1.first else { return transcript }
        var last = JSONObject()
        for step in Self.steps {
            let passed = step.name == "End" ? [] : last.members.map { ($0.key, $0.value) }
            let parameters = JSONObject([("client_id", .string(try start.string("client_id")))] + passed)
            let call = Call("org.varlink.certification.\(step.name)", parameters: parameters, mode: step.mode)
            let replies = try send(change(call), to: &service)
            transcript.append((step.name, replies))
            last = try following(replies)
        }
        return transcript
    }

    /// What a client passes to the next method.
    private func following(_ replies: [Reply]) throws -> JSONObject {
        let values = replies.compactMap { reply -> Parameters? in
            if case .success(let parameters, _) = reply { parameters } else { nil }
        }
        guard values.count > 1 else { return values.first?.object ?? [:] }
        return ["last_more_replies": .array(try values.map { .string(try $0.string("string")) })]
    }

    private func send(_ call: Call, to service: inout CertificationService) throws -> [Reply] {
        var writer = JSONWriter()
        service.answer(call, into: &writer)
        var framer = MessageFramer(maximumBytes: .max)
        framer.append(contentsOf: writer.bytes)
        var replies: [Reply] = []
        while let message = try framer.next() { replies.append(try Reply(parsing: message)) }
        return replies
    }

    private func isError(_ reply: Reply?, _ name: String) -> Bool {
        if case .failure(let error) = reply { error.name == "org.varlink.certification." + name } else { false }
    }

    @Test("a client that returns what it received is certified")
    func certified() throws {
        var service = CertificationService()
        let transcript = try run(&service)
        #expect(transcript.last?.replies == [.success(Parameters(["all_ok": true]), continues: false)])
        let streamed = transcript.first { $0.method == "Test10" }?.replies ?? []
        #expect(
            streamed
                == (1...10).map { .success(Parameters(["string": .string("Reply number \($0)")]), continues: $0 < 10) })
        #expect(transcript.first { $0.method == "Test11" }?.replies == [])
    }

    @Test("two clients are certified at the same time, each once")
    func twoClients() throws {
        var service = CertificationService(seed: 7)
        let first = try send(Call("org.varlink.certification.Start"), to: &service)
        let second = try send(Call("org.varlink.certification.Start"), to: &service)
        #expect(first != second)
        #expect(try run(&service).last?.replies == [.success(Parameters(["all_ok": true]), continues: false)])
    }

    @Test("a client may leave a null out, write 1 for 1.0, and order members as it likes")
    func lenient() throws {
        var service = CertificationService()
        let transcript = try run(&service) { call in
            switch call.method {
            case "Test04": Self.with(call, "float", 1)
            case "Test03": Self.with(call, "int", 1.0)
            case "Test08": Self.with(call, "map", ["bar": "Bar", "foo": "Foo"])
            case "Test10": Self.with(call, "mytype", Self.withoutNulls(call.parameters.object["mytype"]))
            default: call
            }
        }
        #expect(transcript.last?.replies == [.success(Parameters(["all_ok": true]), continues: false)])
    }

    private static let mistakes: [(method: String, parameter: String, value: JSONValue)] = [
        ("Test02", "bool", false), ("Test02", "bool", 1), ("Test03", "int", "1"), ("Test03", "int", 2),
        ("Test04", "float", 1.5), ("Test05", "string", "pong"), ("Test06", "float", 3.14), ("Test07", "struct", [:]),
        ("Test08", "map", ["foo": "Foo", "bar": "Baz"]), ("Test09", "set", ["one", "two", "three"]),
        ("Test09", "set", ["one": [:], "two": [:]]), ("Test10", "mytype", nil), ("Test06", "extra", 1),
    ]

    @Test("a wrong, missing or additional value ends in CertificationError and ends the run", arguments: mistakes)
    func refusesMistakes(method: String, parameter: String, value: JSONValue) throws {
        var service = CertificationService()
        let transcript = try run(&service) { $0.method == method ? Self.with($0, parameter, value) : $0 }
        #expect(isError(transcript.first { $0.method == method }?.replies.first, "CertificationError"))
        #expect(isError(transcript.last?.replies.first, "ClientIdError"))
    }

    @Test("a wrong flag is as wrong as a wrong value", arguments: ["Test01", "Test10", "Test11"])
    func wrongFlag(method: String) throws {
        var service = CertificationService()
        let transcript = try run(&service) { call in
            guard call.method == method else { return call }
            let mode: Call.Mode = call.mode == .plain ? .more : .plain
            return Call(call.qualifiedMethod, parameters: call.parameters.object, mode: mode)
        }
        #expect(isError(transcript.first { $0.method == method }?.replies.first, "CertificationError"))
    }

    @Test("wrong values of Test11 are reported by End, since a oneway call has no reply")
    func wrongOneway() throws {
        var service = CertificationService()
        let transcript = try run(&service) {
            $0.method == "Test11" ? Self.with($0, "last_more_replies", ["Reply number 1"]) : $0
        }
        #expect(transcript.first { $0.method == "Test11" }?.replies == [])
        #expect(isError(transcript.last?.replies.first, "ClientIdError"))
    }

    @Test("the error has the expected and the actual value")
    func wantsAndGot() throws {
        var service = CertificationService()
        let transcript = try run(&service) { $0.method == "Test02" ? Self.with($0, "bool", false) : $0 }
        guard case .failure(let error) = transcript.first(where: { $0.method == "Test02" })?.replies.first else {
            Issue.record("no error")
            return
        }
        let parameters = Parameters(error.parameters)
        #expect(try parameters.object("wants").object("parameters").bool("bool"))
        #expect(try !parameters.object("got").object("parameters").bool("bool"))
    }

    @Test("a method out of turn, an unknown client and an unknown method are refused")
    func refused() throws {
        var service = CertificationService()
        guard
            case .success(let start, _) = try send(Call("org.varlink.certification.Start"), to: &service).first
        else {
            Issue.record("did not start")
            return
        }
        let early = Call("org.varlink.certification.Test05", parameters: start.object)
        #expect(isError(try send(early, to: &service).first, "CertificationError"))
        let stranger = Call("org.varlink.certification.Test01", parameters: ["client_id": "nobody"])
        #expect(isError(try send(stranger, to: &service).first, "ClientIdError"))
        #expect(
            try send(Call("org.varlink.certification.Test12"), to: &service)
                == [.failure(.methodNotFound("org.varlink.certification.Test12"))])
        #expect(
            try send(Call("org.varlink.certification.Test01"), to: &service) == [
                .failure(.invalidParameter("client_id"))
            ])
    }

    @Test("the definition declares every step")
    func definition() {
        #expect(CertificationService.interface.name == "org.varlink.certification")
        #expect(CertificationService.interface.methods == ["Start"] + Self.steps.map { $0.name })
    }

    private static func with(_ call: Call, _ parameter: String, _ value: JSONValue) -> Call {
        let others = call.parameters.object.members.filter { $0.key != parameter }.map { ($0.key, $0.value) }
        let parameters = JSONObject(others + [(parameter, value)])
        return Call(call.qualifiedMethod, parameters: parameters, mode: call.mode)
    }

    private static func withoutNulls(_ value: JSONValue?) -> JSONValue {
        guard case .object(let object) = value else { return .null }
        return .object(JSONObject(object.members.filter { $0.value != .null }.map { ($0.key, $0.value) }))
    }
}
