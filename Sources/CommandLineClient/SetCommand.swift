internal import BrokerClient
internal import Varlink

/// `sensorctl set`: changes a running subscription.
struct SetCommand {
    let subscription: String
    let requests: [Request]
    let format: OutputFormat

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let answer = try broker.call(
            Interface.modify,
            ["subscription": .string(subscription), "requests": .array(requests.map { $0.json })])
        let grants = try understand { () throws(VarlinkError) in try Grant.all(answer.objects("grants")) }
        switch format {
        case .text: try terminal.print(Self.table(grants).lines(Style(isOn: terminal.isColoured)))
        case .json: try terminal.print([JSONFormat.line(answer.object)])
        case .csv: try terminal.print(Self.rows(grants))
        }
    }

    private static func table(_ grants: [Grant]) -> TextTable {
        TextTable(heading: ["RESOURCE", "GRANTED"], rows: grants.map { [$0.resource.printable, $0.text] })
    }

    private static let columns = [
        "resource", "intervalNanoseconds", "batchNanoseconds", "deviceIntervalNanoseconds",
    ]

    private static func rows(_ grants: [Grant]) -> [String] {
        [CSVFormat.row(columns)]
            + grants.map { grant in CSVFormat.row(columns.map { CSVFormat.text(grant.object[$0]) }) }
    }
}
