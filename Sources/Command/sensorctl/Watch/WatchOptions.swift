internal import BrokerClient
internal import Programs
internal import Readings

extension Command {
    static let watch = Self(
        name: "watch", summary: "Print readings as they arrive, until Ctrl-C",
        operands: [Operand(name: "RESOURCE", completion: .resources, isRepeated: true, takesInterval: true)],
        options: Option.ofRequests + [
            .count, .duration, .satellites, .stats, .chosenColumns, .utc, .quiet, .verbose, .reconnect, .noReconnect,
        ], formats: ReadingFormat.names,
        description: [
            "Among the readings, shows gaps with their causes, states of the resources, and granted intervals that "
                + "differ from the requested ones. With `--verbose`, the first line has the name of the subscription, "
                + "with which `sensorctl set` can change it."
        ],
        examples: [
            ("sensorctl watch location@1s accelerometer@50Hz", "two resources, each at an interval of its own"),
            (
                "sensorctl watch accelerometer --rate 1kHz --batch 100ms --format json --count 5000",
                "5000 readings for a program, gathered for 100 ms"
            ),
            (
                "sensorctl watch location@1s,min=5m accelerometer@1kHz,batch=100ms --format json",
                "two resources, each with options of its own"
            ),
            (
                "sensorctl watch location --min-change 5m --for 10min --format csv > track.csv",
                "a table of ten minutes, with a row every five metres"
            ),
            (
                "sensorctl watch gyroscope@100Hz accelerometer location --align-to gyroscope --format csv",
                "a table with the values of three sensors at the same times"
            ),
            ("sensorctl watch location accelerometer --format mcap > drive.mcap", "a file for robots' tools"),
            ("sensorctl watch accelerometer@100Hz --stats", "how regularly its readings arrive, each second"),
            (
                "sensorctl watch location --columns time,latitudeDegrees,longitudeDegrees --format csv",
                "a table of three columns"
            ),
            (
                "sensorctl watch location --format nmea",
                "the sentences of a receiver, for a program that reads NMEA 0183"
            ),
            ("sensorctl watch orientation", "a line each time another edge of the device is up"),
        ]
    ) { invocation throws(UsageError) in try WatchOptions(invocation) }
}

struct WatchOptions: Action, Equatable {
    /// The request for each resource.
    let requests: [Request]
    /// The number of readings after which it ends.
    let count: Int?
    /// The time after which it ends.
    let durationNanoseconds: Int64?
    /// Whether the command reconnects after the broker has gone away.
    let reconnecting: Reconnecting
    /// Whether everything that the broker sends is shown.
    let isVerbose: Bool

    /// Whether only readings are shown.
    let isQuiet: Bool
    /// Whether statistics are shown in place of readings.
    let showsStatistics: Bool
    /// The columns of csv to show; nil: all of them.
    let columns: [String]?

    /// How readings are shown.
    let format: ReadingFormat
    /// Whether text shows times in UTC instead of local time.
    let isUTC: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        format = invocation.readingFormat
        for option in [Option.alignTo, .stats, .chosenColumns] where format == .mcap && invocation.has(option) {
            throw UsageError("--format mcap has no place for what \(option.text) adds: leave out one of the two")
        }
        if format == .mcap, invocation.has(.reconnect) {
            throw UsageError("--format mcap writes one file of one stream: leave out --reconnect")
        }
        var requests = try Self.stream(invocation.operands[...], invocation)
        // A receiver reports them, and readers expect it.
        if format == .nmea { for index in requests.indices { requests[index].satellites = true } }
        self.requests = requests
        count = try Self.count(invocation)
        durationNanoseconds = try invocation.time(.duration)
        reconnecting = Reconnecting(invocation)
        isVerbose = invocation.has(.verbose)
        isQuiet = invocation.has(.quiet)
        showsStatistics = invocation.has(.stats)
        columns = try Self.columns(invocation.options[.chosenColumns], format)
        if format == .nmea, showsStatistics { throw UsageError("NMEA 0183 has no sentence for --stats: leave out one") }
        isUTC = invocation.has(.utc)
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        if format == .mcap {
            var watch = MCAPWatch(self, terminal)
            return try watch.run(broker)
        }
        var command = WatchCommand(self, terminal)
        try command.run(broker)
    }

    static func stream(_ operands: ArraySlice<String>, _ invocation: Invocation) throws(UsageError) -> [Request] {
        let requests = try Self.requests(operands, invocation)
        guard let lead = invocation.options[.alignTo] else { return requests }
        guard requests.contains(where: { $0.resource == lead }) else {
            throw UsageError("--align-to \(lead): name \(lead) among the resources too")
        }
        guard requests.count > 1 else {
            throw UsageError("--align-to \(lead): name another resource to be aligned to it")
        }
        for request in requests where request.alignTo != nil {
            if Kind(resource: request.resource.word)?.row.mean == .newest {
                throw UsageError("\(request.resource) cannot be aligned: nothing lies between two of its values")
            }
            if request.minimumChange != nil {
                throw UsageError("a minimum change leaves out readings that --align-to needs: leave out one of the two")
            }
        }
        return requests
    }

    /// The requests of operands, each for a different resource, with the options that apply to all of them.
    static func requests(
        _ operands: ArraySlice<String>, _ invocation: Invocation
    ) throws(UsageError) -> [Request] {
        let options = invocation.options
        if invocation.has(.satellites), !operands.contains(where: { Request.mayBeLocation($0) }) {
            throw UsageError("--satellites is for a location, and none is named")
        }
        let rate = try invocation.value(.rate, TimeWords.interval(rate:))
        let interval = try invocation.value(.interval, TimeWords.interval(_:)) ?? rate
        let batch = try invocation.value(.batch, TimeWords.nanoseconds)
        let change = try invocation.value(.minChange, MinimumChange.init)
        return try named(operands).map { request throws(UsageError) in
            var request = request
            request.intervalNanoseconds = request.intervalNanoseconds ?? interval
            request.batchNanoseconds = request.batchNanoseconds ?? batch
            request.filter = request.filter ?? options[.filter]
            if request.minimumChange == nil { request.minimumChange = try change?.value(for: request.resource) }
            request.satellites = request.satellites || invocation.has(.satellites)
            request.alignTo = options[.alignTo] == request.resource ? nil : options[.alignTo]
            return request
        }
    }

    private static func named(_ operands: ArraySlice<String>) throws(UsageError) -> [Request] {
        var requests: [Request] = []
        for operand in operands {
            let request = try Request(operand)
            guard !requests.contains(where: { $0.resource == request.resource }) else {
                throw UsageError("\(request.resource) is named twice; one stream has one interval for it")
            }
            requests.append(request)
        }
        return requests
    }

    private static func columns(_ list: String?, _ format: ReadingFormat) throws(UsageError) -> [String]? {
        guard let list else { return nil }
        guard format == .csv || format == .text else {
            throw UsageError("--columns is for --format csv and text")
        }
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        guard !names.contains("") else {
            throw UsageError("'\(list)' has an empty name: write it like time,latitudeDegrees,longitudeDegrees")
        }
        return names
    }

    /// How readings and events are shown.
    func stream(_ clock: WallClock, _ terminal: Terminal) -> any StreamFormat {
        guard let columns else {
            return format.stream(clock, terminal, isVerbose: isVerbose, asked: requests)
        }
        let table = CSVFormat(clock: clock, aligned: requests.filter { $0.alignTo != nil }.map(\.resource))
        return ChosenColumns(
            table, columns, isCSV: format == .csv, style: terminal.style)
    }

    static func count(_ invocation: Invocation) throws(UsageError) -> Int? {
        guard let text = invocation.options[.count] else { return nil }
        guard let count = Int(text), count > 0 else { throw UsageError("--count needs a number from 1, not '\(text)'") }
        return count
    }
}
