internal import BrokerClient
internal import Programs
internal import Varlink

extension Command {
    static let metrics = Self(
        name: "metrics", summary: "Print figures about the broker for a monitoring system", options: [.textfile],
        description: [
            "The text is OpenMetrics, as Prometheus reads it; `json` is what the broker sends, an object for each metric. Whoever may "
                + "use the broker's socket may ask; the figures are of the resources that the user may read. "
                + "With `--instance`, each metric has the label `broker`.",
            "`sensorbroker-metrics.timer` writes a file for node_exporter every 15 seconds. All metrics are explained in "
                + "/usr/share/doc/sensorbroker/metrics.md.",
        ],
        examples: [
            ("sensorctl metrics", "all metrics"),
            (
                "sudo sensorctl metrics --textfile /var/lib/prometheus/node-exporter/sensorbroker.prom",
                "for node_exporter"
            ),
        ]
    ) { invocation throws(UsageError) in
        let file = invocation.options[.textfile]
        guard file?.hasSuffix(".prom") ?? true else {
            throw UsageError("--textfile needs a name that ends in .prom: node_exporter reads no others")
        }
        guard file == nil || invocation.options[.format] == nil else {
            throw UsageError("--textfile has a format of its own: leave out --format")
        }
        return MetricsCommand(file: file)
    }
}

/// `sensorctl metrics`: prints what the broker counts and measures about itself.
struct MetricsCommand: Action, Equatable {
    /// The file to replace; nil: the standard output.
    let file: String?

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        guard let file else { return try print(broker, terminal) }
        do throws(Failure) {
            try Self.replace(file, with: Self.text(try Self.metrics(of: broker), broker).lines(.prometheus))
        } catch  where [.unavailable, .timedOut].contains(error.status) {
            try Self.replace(file, with: MetricsText(broker: broker.instance, isUp: false).lines(.prometheus))
            throw error
        }
    }

    private func print(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let metrics = try Self.metrics(of: broker)
        switch terminal.format {
        case .text: try terminal.print(Self.text(metrics, broker).lines(.openMetrics))
        case .json: try terminal.print(metrics.list.map { JSONFormat.line($0.object) })
        case .csv:
            throw Failure(.usage, "metrics differ in their labels, so there is no csv: use --format text or json")
        }
    }

    private static func text(_ metrics: (families: [Parameters], list: [Parameters]), _ broker: Broker)
        throws(Failure) -> MetricsText
    {
        try understand { () throws(VarlinkError) in
            var text = MetricsText(broker: broker.instance)
            for family in metrics.families { try text.describe(family) }
            for metric in metrics.list { try text.add(metric) }
            return text
        }
    }

    private static func metrics(of broker: Broker) throws(Failure) -> (families: [Parameters], list: [Parameters]) {
        let end = BootClock.after(broker.timeoutNanoseconds)
        var connection = try broker.connect()
        func all(_ method: String) throws(Failure) -> [Parameters] {
            var answers: [Parameters] = []
            try connection.ask(Call(method, mode: .more))
            while true {
                guard let reply = try connection.answer(until: end) else { throw broker.mute(connection.path) }
                switch reply {
                case .success(let parameters, let continues):
                    answers.append(parameters)
                    guard continues else { return answers }
                case .failure(.interfaceNotFound):
                    throw Failure(.unavailable, "this broker is too old to have metrics: restart it after its upgrade")
                case .failure(let error): throw broker.failure(for: error)
                }
            }
        }
        return (try all(Interface.describeMetrics), try all(Interface.listMetrics))
    }

    private static func replace(_ path: String, with lines: [String]) throws(Failure) {
        var output = try OutputFile(path, replaces: true)
        try output.write(Array(lines.map { $0 + "\n" }.joined().utf8))
        try output.finish()
    }
}
