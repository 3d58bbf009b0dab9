internal import BrokerClient
internal import Printable
internal import Programs
internal import Varlink

extension Command {
    static let set = Self(
        name: "set", summary: "Change the intervals of a running watch",
        operands: [
            Operand(name: "SUBSCRIPTION", completion: .nothing),
            Operand(name: "RESOURCE@INTERVAL", completion: .resources, isRepeated: true),
        ],
        options: Option.ofRequests,
        description: [
            "Changes what a subscription gets of a resource, or adds a resource to it. `sensorctl watch --verbose` shows the name "
                + "of its subscription in its first line, and `sensorctl status` shows those of all clients."
        ],
        examples: [("sensorctl set SUBSCRIPTION accelerometer@200ms", "five readings a second from now on")]
    ) { invocation throws(UsageError) in
        let requests = try WatchOptions.requests(invocation.operands.dropFirst(), invocation)
        if let request = requests.first(where: { $0.intervalNanoseconds == nil }) {
            throw UsageError("\(request.resource) needs an interval, such as \(request.resource)@100ms")
        }
        return SetCommand(subscription: invocation.operands[0], requests: requests)
    }
}

/// `sensorctl set`: changes a running subscription.
struct SetCommand: Action, Equatable {
    let subscription: String
    let requests: [Request]

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let answer = try broker.call(
            Interface.modify,
            ["subscription": .string(subscription), "requests": .array(requests.map { $0.json })])
        let grants = try understand { () throws(VarlinkError) in try Grant.all(answer.objects("grants")) }
        try terminal.print(
            text: Self.table(grants).lines(terminal.style), json: [answer.object],
            csv: CSVFormat.table(Self.columns, grants.map(\.object)))
    }

    private static func table(_ grants: [Grant]) -> TextTable {
        TextTable(
            heading: ["RESOURCE", "GRANTED"],
            rows: grants.map { grant in
                let label = grant.label.map { " (\($0))" } ?? ""
                return ["\(grant.resource)\(label)".printable, grant.text]
            })
    }

    private static let columns = [
        "resource", "intervalNanoseconds", "batchNanoseconds", "deviceIntervalNanoseconds",
    ]
}
