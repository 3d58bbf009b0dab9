public import Varlink

/// A server's side of `org.varlink.certification`, which checks to the letter what a client makes of each reply.
///
/// A client starts, and then passes what each method returned to the next one. The whole call is compared: a value, a
/// flag or a parameter that is wrong ends the client's run with CertificationError(wants, got). `1` and `1.0` are the same
/// here, since to much of the world's JSON they are; so are an absent field and a null one.
public struct CertificationService {
    /// The interface, for the service's information.
    public static let interface = InterfaceDescription(
        definition: String(decoding: PackageResources.org_varlink_certification_varlink, as: UTF8.self))

    /// Runs that began and did not end are forgotten, oldest first.
    private static let maximumRuns = 1024

    private var runs: [Run] = []
    private var started: UInt64

    /// A client's run: which step comes next.
    private struct Run {
        let clientID: String
        var next: Step
    }

    /// A service whose client names are counted from a number, which differs from one service to the next.
    public init(seed: UInt64 = 0) { started = seed }

    /// Answers a call of one of the interface's methods; nothing is written to a oneway call.
    public mutating func answer(_ call: Call, into writer: inout JSONWriter) {
        do {
            let replies = try replies(to: call)
            guard call.mode != .oneway else { return }
            for (index, reply) in replies.enumerated() {
                writer.reply(reply, continues: index < replies.count - 1)
            }
        } catch {
            if call.mode != .oneway { writer.reply(error) }
        }
    }

    private mutating func replies(to call: Call) throws(VarlinkError) -> [JSONObject] {
        guard let step = Step(rawValue: call.method) else { throw .methodNotFound(call.qualifiedMethod) }
        guard step != .start else { return [try start(call)] }
        let run = try takeRun(of: call)
        try Self.compare(call, with: Self.expected(run.next, clientID: run.clientID))
        if let next = run.next.following { runs.append(Run(clientID: run.clientID, next: next)) }
        return run.next.replies
    }

    private mutating func start(_ call: Call) throws(VarlinkError) -> JSONObject {
        try Self.compare(call, with: Self.expected(.start, clientID: nil))
        started &+= 1
        let clientID = "client-" + String(started, radix: 16)
        if runs.count == Self.maximumRuns { runs.removeFirst() }
        runs.append(Run(clientID: clientID, next: .test01))
        return ["client_id": .string(clientID)]
    }

    /// Taken out, so that a call that is wrong ends the run.
    private mutating func takeRun(of call: Call) throws(VarlinkError) -> Run {
        let clientID = try call.parameters.string("client_id")
        guard let index = runs.firstIndex(where: { $0.clientID == clientID }) else {
            throw .other(name: "org.varlink.certification.ClientIdError", parameters: [:])
        }
        return runs.remove(at: index)
    }

    private static func expected(_ step: Step, clientID: String?) -> Call {
        let clientMember = clientID.map { [("client_id", JSONValue.string($0))] } ?? []
        let members = clientMember + step.parameters.members.map { ($0.key, $0.value) }
        return Call("\(interface.name).\(step.rawValue)", parameters: JSONObject(members), mode: step.mode)
    }

    private static func compare(_ got: Call, with wants: Call) throws(VarlinkError) {
        let (got, wants) = (JSONValue.object(got.header), JSONValue.object(wants.header))
        guard got.isCertified(as: wants) else {
            throw .other(
                name: "org.varlink.certification.CertificationError", parameters: ["wants": wants, "got": got])
        }
    }
}
