internal import Configuration
internal import Programs
internal import Readings

extension Command {
    static let feed = Self(
        name: "feed", summary: "Be a sensor: lines of the standard input become readings",
        operands: [Operand(name: "KIND", completion: .words(FeedCommand.kinds.map(\.row.resource)))],
        options: [.feedName, .feedRate, .feedCommand, .feedDescription, .feedRest, .feedSimulated], formats: [],
        description: [
            "The broker's configuration must allow it, in a section `[Feed NAME]`. Clients then read the resource like any other.",
            "A line has the numbers of a sample, in the order of the kind's channels, such as x, y and z, separated by commas, semicolons, "
                + "tabs or blanks. One number more in front is its time. A line with names before them says another order, and units, as "
                + "in `t_ms,ax (g),ay (g),az (g)`. Also understood are `x:0.1,y:0.2,z:9.8`, JSON objects with such names, locations with "
                + "the names of the interface, gpsd's TPV, and what `sensorctl watch` writes as `csv` and `json`.",
            "Times are CLOCK_BOOTTIME in nanoseconds, or UTC: seconds since 1970, or like 2026-11-21T12:03:04.5Z. Without one, and "
                + "with one of another clock, such as a microcontroller's, a sample is stamped when its line is read.",
            "A line that cannot be used is reported and passed over. While nobody wants readings, lines are read and dropped. "
                + "When the broker has gone away, the feed waits for it.",
        ],
        examples: [
            ("sensorctl feed accelerometer --name accelerometer:arduino < /dev/ttyUSB0", "a microcontroller's lines"),
            ("sensorctl feed location --exec ./receiver", "the program runs only while somebody wants readings"),
            ("sensorctl feed gyroscope --rate 100Hz --description XSens", "the rate is known to clients"),
        ]
    ) { invocation throws(UsageError) in try FeedCommand(invocation) }
}

/// `sensorctl feed`: makes a resource of lines.
struct FeedCommand: Action, Equatable {
    /// The kinds that can be fed.
    static let kinds = Kind.all.filter { $0.row.form != .orientation }

    let offer: FeedOffer
    let command: String?

    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options
        let kind = try Self.kind(invocation.operands[0])
        let name = options[.feedName] ?? kind.row.resource
        guard ResourceName(name) != nil else {
            throw UsageError("'\(name)' is no name of a resource: write it like \(kind.row.resource):arm")
        }
        offer = FeedOffer(
            kind: kind, name: name, description: options[.feedDescription],
            intervalNanoseconds: try invocation.value(.feedRate, TimeWords.interval(rate:)),
            restNanoseconds: try invocation.time(.feedRest), isSimulated: invocation.has(.feedSimulated))
        command = options[.feedCommand]
    }

    private static func kind(_ word: String) throws(UsageError) -> Kind {
        guard let kind = Kind(resource: word) ?? Kind(wire: word) else {
            if let kind = Kind(resource: word.word), word.contains(":") {
                throw UsageError("a feed needs its kind first: sensorctl feed \(kind.row.resource) --name \(word)")
            }
            throw UsageError(
                "there is no kind '\(word)': " + Suggestion.advice(for: word, among: kinds.map(\.row.resource)))
        }
        guard kinds.contains(kind) else {
            throw UsageError("\(kind.row.resource) follows from an accelerometer, so feed that")
        }
        return kind
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        try FeedSession(offer, command: command, broker.feed(), terminal).run()
    }
}
