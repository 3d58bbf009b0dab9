internal import BrokerClient
internal import Printable
internal import Programs
internal import Varlink

extension Command {
    static let disconnect = Self(
        name: "disconnect", summary: "End the connections of clients", audience: .administrator,
        operands: [Operand(name: "PROCESS", completion: .nothing, isRepeated: true)],
        description: [
            "PROCESS is the number of a process, or `id:` and the number of one connection, which `sensorctl status --format json` shows. "
                + "A client that connects again is served again; to keep it out, change `Groups=` in sensorbrokerd.conf."
        ],
        examples: [("sudo sensorctl disconnect 4242", "all connections of a process that hangs")]
    ) { invocation throws(UsageError) in
        DisconnectCommand(clients: try invocation.operands.map(DisconnectCommand.Target.init))
    }
}

/// `sensorctl disconnect`: ends connections of clients.
struct DisconnectCommand: Action, Equatable {
    /// Whose connections end.
    enum Target: Equatable {
        case process(Int64)
        case connection(Int64)

        init(_ word: String) throws(UsageError) {
            let isConnection = word.hasPrefix("id:")
            guard let number = Int64(isConnection ? String(word.dropFirst(3)) : word), number > 0 else {
                throw UsageError(
                    "'\(word)' is neither the number of a process nor id: and the number of a connection; "
                        + "see: sensorctl status")
            }
            self = isConnection ? .connection(number) : .process(number)
        }
    }

    let clients: [Target]

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let admin = try broker.admin()
        var (ended, missing): ([Int64], [String]) = ([], [])
        for target in clients {
            let ids = try Self.connections(of: target, admin)
            for id in ids {
                // Its client may have gone since.
                let reply = try admin.reply(to: AdminInterface.disconnect, ["id": .integer(id)])
                switch reply {
                case .success: ended.append(id)
                case .failure(.other(AdminInterface.noSuchClient, _)): break
                case .failure(let error): throw admin.failure(for: error)
                }
            }
            if case .connection(let id) = target, !ended.contains(id) { missing.append("connection \(id)") }
            if case .process(let id) = target, ids.isEmpty { missing.append("process \(id)") }
        }
        if missing.isEmpty || !ended.isEmpty {
            try terminal.print(
                text: ["\(ended.count.counted("connection")) ended"],
                json: [["disconnected": .array(ended.map { .integer($0) })]], csv: [["id"]] + ended.map { ["\($0)"] })
        }
        guard missing.isEmpty else {
            let words = missing.map { "\($0) is no client of the broker" }.joined(separator: "; ")
            throw Failure(.unavailable, "\(words); see: sensorctl status")
        }
    }

    private static func connections(of target: Target, _ admin: Broker) throws(Failure) -> [Int64] {
        switch target {
        case .connection(let id): return [id]
        case .process(let process):
            let answer = try admin.call(Interface.getStatus)
            let status = try understand { () throws(VarlinkError) in try BrokerStatus(answer, askedBy: 0) }
            return status.clients.filter { $0.processID == process }.map(\.id)
        }
    }
}
