internal import BrokerClient
internal import Platform
internal import Varlink

/// `sensorctl status`: devices and clients of the broker.
struct StatusCommand {
    let format: OutputFormat

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        guard format != .csv else {
            throw Failure(.usage, "status is of devices and of clients, which is not one table: text or json")
        }
        let status = try broker.admin.call(Interface.getStatus)
        guard format == .text else { return try terminal.print([JSONFormat.line(status.object)]) }
        let style = Style(isOn: terminal.isColoured)
        let lines = try understand { () throws(VarlinkError) in
            try Self.lines(status, style, nowNanoseconds: Clock.bootNanoseconds())
        }
        try terminal.print(lines)
    }

    /// The lines for people.
    static func lines(
        _ status: Parameters, _ style: Style, nowNanoseconds: Int64
    ) throws(VarlinkError) -> [String] {
        let started = try status.integer("startedNanoseconds")
        let running = IntervalText.text(nanoseconds: nowNanoseconds.subtractingReportingOverflow(started).partialValue)
        let heading =
            "sensorbrokerd \(try status.string("version").printable), process \(try status.integer("processId")), "
            + "running for \(running)"
        let devices = try devices(status.objects("devices")).lines(style)
        let clients = try clients(status.objects("clients")).lines(style)
        return [heading, ""] + devices + [""] + clients
    }

    private static func devices(_ devices: [Parameters]) throws(VarlinkError) -> TextTable {
        TextTable(
            heading: [
                "DEVICE", "STATE", "CLIENTS", "LANES", "INTERVAL", "SAMPLES", "OPENS", "REUSES", "EVICTIONS", "FAULTS",
                "LAST FAULT",
            ],
            rows: try devices.map { device throws(VarlinkError) in
                let interval = try device.optionalInteger("deviceIntervalNanoseconds")
                let names = try [device.string("resource"), device.string("state")]
                let before = try ["subscribers", "lanes"].map { name throws(VarlinkError) in
                    String(try device.integer(name))
                }
                let after = try ["samples", "opens", "reuses", "evictions", "faults"].map {
                    name throws(VarlinkError) in String(try device.integer(name))
                }
                return names.map { $0.printable } + before + [interval.map { IntervalText.text(nanoseconds: $0) } ?? ""]
                    + after + [try device.optionalString("lastFault")?.printable ?? ""]
            })
    }

    private static func clients(_ clients: [Parameters]) throws(VarlinkError) -> TextTable {
        TextTable(
            heading: ["CLIENT", "PROCESS", "USER", "QUEUED", "DELIVERED", "LOST", "RESOURCES", "SUBSCRIPTION"],
            rows: try clients.map { client throws(VarlinkError) in
                let numbers = try [
                    "id", "processId", "userId", "queuedBytes", "deliveredReadings", "lostReadings",
                ].map { name throws(VarlinkError) in String(try client.integer(name)) }
                let resources = try client.strings("resources").joined(separator: " ").printable
                return numbers + [resources, try client.optionalString("subscription")?.printable ?? ""]
            })
    }
}
