internal import BrokerClient
internal import Printable
internal import Programs
internal import Varlink

extension Command {
    static let list = Self(
        name: "list", summary: "List the resources of the broker and their states",
        description: [
            "Each resource is shown with what it measures, its state, the intervals that it offers, and its device. If a "
                + "resource does not work, the reason is shown below the table."
        ],
        examples: [("sensorctl list", "all resources")]
    ) { _ in ListCommand() }
}

/// `sensorctl list`: shows the resources of the broker.
struct ListCommand: Action, Equatable {
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let resources = try broker.resources()
        let reasons = resources.compactMap { resource in
            resource.reason.map { "\(resource.name.printable): \($0.printable)" }
        }
        let lines = terminal.width.map { width in reasons.flatMap { HelpLayout.wrapped($0, columns: width) } }
        try terminal.print(
            text: Self.table(resources).lines(terminal.style, width: terminal.width)
                + (reasons.isEmpty ? [] : [""] + (lines ?? reasons)),
            json: resources.map(\.object), csv: CSVFormat.table(Self.columns, resources.map(\.object)))
    }

    /// The table for people, with the reasons of states below it.
    static func table(_ resources: [Resource]) -> TextTable {
        TextTable(
            heading: ["NAME", "KIND", "STATE", "INTERVALS", "DEVICE"],
            rows: resources.map { resource in
                let device = [resource.description?.printable, resource.simulated ? "(simulated)" : nil]
                return [
                    resource.name.printable, resource.kind.printable, resource.state.printable, intervals(of: resource),
                    device.compactMap { $0 }.joined(separator: " "),
                ]
            })
    }

    private static func intervals(of resource: Resource) -> String {
        let ends = [resource.minimumIntervalNanoseconds, resource.maximumIntervalNanoseconds]
            .map { IntervalText.text(nanoseconds: $0) }
        return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    }

    private static let columns = [
        "name", "kind", "reporting", "state", "reason", "simulated", "minimumIntervalNanoseconds",
        "maximumIntervalNanoseconds",
        "defaultIntervalNanoseconds", "deviceIntervalNanoseconds", "description",
    ]
}
