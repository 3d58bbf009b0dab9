internal import BrokerClient
internal import Varlink

/// `sensorctl get`: one new reading.
struct GetCommand {
    let resource: String
    let satellites: Bool
    let format: OutputFormat

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var format = format.stream(WallClock(), isColoured: terminal.isColoured)
        // Only csv has a header, and wants to know of which kind.
        let resources = self.format == .csv ? try broker.resources().filter { $0.name == resource } : []
        var parameters: JSONObject = ["resource": .string(resource)]
        if satellites { _ = parameters.append("satellites", .bool(true)) }
        let answer = try broker.call(Interface.read, parameters)
        let reading = try understand { () throws(VarlinkError) in try Reading(answer.object("reading")) }
        let header = self.format == .csv ? try format.begin(resources) : []
        try terminal.print(header + format.rows(of: reading))
    }
}
