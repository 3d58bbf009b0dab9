internal import BrokerClient
internal import Glibc
internal import Platform
internal import Varlink

/// A client's side of `org.varlink.certification`, through the connection that the library and sensorctl use.
///
/// It passes what each method returned to the next one; the server compares the whole calls to the letter.
enum CertificationClient {
    private static let interface = "org.varlink.certification."
    private static let patienceNanoseconds: Int64 = 300_000_000_000

    /// Why it was not certified.
    private struct Refusal: Error {
        let reply: Reply?
    }

    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2 else {
            print("usage: certification-client SOCKET")
            return 64
        }
        do {
            try certify(at: arguments[1])
            print("Certification passed")
            return 0
        } catch {
            print("Certification failed: \(error)")
            return 1
        }
    }

    private static func certify(at path: String) throws {
        var connection = try BrokerConnection(path: path, patienceNanoseconds: 10_000_000_000)
        let start = try call("Start", [:], &connection)
        let id: [(String, JSONValue)] = [("client_id", .string(try start.string("client_id")))]
        var last: [(String, JSONValue)] = []
        for method in (1...9).map({ "Test0\($0)" }) {
            last = members(try call(method, JSONObject(id + last), &connection))
        }
        let strings = try stream(JSONObject(id + last), &connection)
        let replies = [("last_more_replies", JSONValue.array(strings))]
        try connection.send(Call(interface + "Test11", parameters: JSONObject(id + replies), mode: .oneway))
        let end = try call("End", JSONObject(id), &connection)
        guard try end.bool("all_ok") else { throw Refusal(reply: .success(end, continues: false)) }
    }

    private static func call(
        _ method: String, _ parameters: JSONObject, _ connection: inout BrokerConnection
    ) throws -> Parameters {
        try connection.send(Call(interface + method, parameters: parameters))
        let reply = try connection.reply(until: Clock.bootNanoseconds() + patienceNanoseconds)
        guard case .success(let result, continues: false) = reply else { throw Refusal(reply: reply) }
        return result
    }

    private static func stream(
        _ parameters: JSONObject, _ connection: inout BrokerConnection
    ) throws -> [JSONValue] {
        try connection.send(Call(interface + "Test10", parameters: parameters, mode: .more))
        var strings: [JSONValue] = []
        while true {
            let reply = try connection.reply(until: Clock.bootNanoseconds() + patienceNanoseconds)
            guard case .success(let result, let continues) = reply else { throw Refusal(reply: reply) }
            strings.append(.string(try result.string("string")))
            guard continues else { return strings }
        }
    }

    /// What a method returned; one server adds the client's name, which is passed anyway.
    private static func members(_ parameters: Parameters) -> [(String, JSONValue)] {
        parameters.object.members.filter { $0.key != "client_id" }.map { ($0.key, $0.value) }
    }
}
