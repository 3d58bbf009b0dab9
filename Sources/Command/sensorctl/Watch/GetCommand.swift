internal import BrokerClient
internal import Printable
internal import Programs
internal import Varlink

extension Command {
    static let get = Self(
        name: "get", summary: "Print one new reading of a resource",
        operands: [Operand(name: "RESOURCE", completion: .resources)], options: [.wait, .satellites, .utc],
        formats: ReadingFormat.names,
        examples: [
            ("sensorctl get location", "where this host is"),
            ("sensorctl get location --satellites", "the same, with each satellite in view"),
            ("sensorctl get location --wait --timeout 5min", "the first location after power-up"),
        ]
    ) { invocation in
        GetCommand(
            resource: invocation.operands[0],
            satellites: invocation.has(.satellites) || invocation.readingFormat == .nmea, waits: invocation.has(.wait),
            format: invocation.readingFormat, isUTC: invocation.has(.utc))
    }
}

/// `sensorctl get`: prints one new reading.
///
/// With `--wait` it is the first reading of a stream, because a stream stays open while a resource is unavailable. The
/// timeout then limits the wait for the reading as well.
struct GetCommand: Action, Equatable {
    let resource: String
    let satellites: Bool
    let waits: Bool
    let format: ReadingFormat
    let isUTC: Bool

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var format = format.stream(WallClock(isUTC: isUTC), terminal, isVerbose: false)
        // A header depends on the kind, and not every kind is possible.
        let resources = self.format.needsResources ? try broker.resources().filter { $0.name == resource } : []
        let reading = waits ? try firstReading(broker) : try newReading(broker)
        let header = self.format.needsResources ? try format.begin(resources) : []
        try terminal.print(header + format.heading(for: reading) + format.rows(of: reading))
    }

    private func newReading(_ broker: Broker) throws(Failure) -> Reading {
        var parameters: JSONObject = ["resource": .string(resource)]
        if satellites { parameters.member("satellites", true) }
        parameters.member("timeoutNanoseconds", broker.timeoutNanoseconds)
        let answer = try broker.call(Interface.read, parameters, graceNanoseconds: Broker.graceNanoseconds)
        return try understand { () throws(VarlinkError) in try Reading(answer.object("reading")) }
    }

    private func firstReading(_ broker: Broker) throws(Failure) -> Reading {
        let end = BootClock.after(broker.timeoutNanoseconds)
        var request = Request(resource: resource)
        request.satellites = satellites
        var stream = try UpdateStream([request], broker)
        var trouble: String?
        var hasAnswered = false
        while let (update, continues) = try stream.next(until: end) {
            hasAnswered = true
            if let reading = update.readings.first {
                // What came in a burst is one reading of several samples.
                return try understand { () throws(VarlinkError) in try reading.prefix(1) }
            }
            if let state = update.resources.last { trouble = state.reason }
            guard continues else { throw .ended(update.ended) }
        }
        guard hasAnswered else { throw broker.mute(stream.path) }
        throw Failure(
            .timedOut,
            "no reading of \(resource.printable) came in \(IntervalText.text(nanoseconds: broker.timeoutNanoseconds))"
                + (trouble.map { " (\($0.printable))" } ?? "") + "; to wait longer: --timeout 1min")
    }
}
