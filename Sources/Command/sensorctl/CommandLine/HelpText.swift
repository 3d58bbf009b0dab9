internal import Programs

/// The help, made from the table of commands.
enum HelpText {
    /// What `sensorctl help` prints.
    static var general: [String] {
        var lines = [
            "Usage: sensorctl COMMAND [OPERAND]... [OPTION]...", "", "Reads sensors through the sensor broker.",
        ]
        lines += list("Commands:", of: .everybody)
        lines += list("Commands for the broker's administrator:", of: .administrator)
        lines += ["", "'sensorctl help COMMAND' explains a command, with its options and examples."]
        lines += ["", "Options of all commands:"]
        lines += Option.common.flatMap(HelpLayout.lines)
        lines += ["", "Times and intervals:"] + indented(times)
        lines += ["", "Formats:"]
        for format in formats { lines += HelpLayout.entry(format.name, format.text, width: 4) }
        lines += ["", "Exit status:"]
        for (status, meaning) in ExitStatus.meanings {
            lines += HelpLayout.entry("\(status.rawValue)", meaning, width: 2)
        }
        return lines + indented(interruption)
    }

    /// What `sensorctl help COMMAND` prints.
    static func text(of command: Command) -> [String] {
        var lines = command.synopsis.enumerated().map { index, form in
            "\(index == 0 ? "Usage:" : "      ") sensorctl \(command.name)\(form.isEmpty ? "" : " ")\(form)"
        }
        for paragraph in [command.summary + "."] + command.description {
            lines += [""] + HelpLayout.wrapped(HelpLayout.plain(paragraph))
        }
        if !command.options.isEmpty { lines += ["", "Options:"] + command.options.flatMap(HelpLayout.lines) }
        let common = Option.common.map(\.text).joined(separator: ", ")
        lines += [""] + HelpLayout.wrapped("Options of all commands, which 'sensorctl help' explains: \(common).")
        if command.operands.contains(where: \.isRequest) {
            lines += ["", "Options of a resource:"] + indented([RequestOption.explanation])
        }
        if command.takesTimes { lines += ["", "Times and intervals:"] + indented(times) }
        guard !command.examples.isEmpty else { return lines }
        let examples = command.examples.flatMap {
            ["  \($0.line)"] + HelpLayout.wrapped(HelpLayout.plain($0.purpose), indent: 6)
        }
        return lines + ["", "Examples:"] + examples
    }

    /// How times and intervals are written.
    static let times = [
        "A TIME is written like `10s`, `250ms`, `1min 30s`, `2h` or `1d`. A number without a unit is in seconds: `0.5` is half "
            + "a second. `infinity` is without end.",
        "An INTERVAL is a TIME or a rate, such as `50Hz`. `0` is every sample. If a device cannot run at an interval, the broker "
            + "grants the nearest one that it can, and says so.",
    ]

    /// The formats of the output.
    static let formats: [(name: String, text: String)] = [
        (
            "text",
            "For people: local date and time, units, and colours on a terminal unless `$NO_COLOR` is set. Lines appear in "
                + "the order of arrival, without delay. A reading has the time at which it was measured, which never goes "
                + "backwards for one resource; readings of two resources may arrive out of order. Other lines have the "
                + "time at which they arrived. On a narrow terminal the date has a line of its own, and a location fewer columns. "
                + "In a locale without UTF-8, all text for people is plain ASCII."
        ),
        (
            "json",
            "One object per line. A line with `sequence` is a reading, in the form of the interface io.sensorbroker.Broker. Every "
                + "other line has one of the keys `subscription`, `grant`, `resource`, `gap`, `ended` and `stats`."
        ),
        (
            "csv",
            "A header, and then the readings of one kind, with a row for each sample and times in UTC. Everything else goes to "
                + "standard error."
        ),
        (
            "mcap",
            "A file of ROS 2 messages for robots' tools, for `watch` only, whose output has to be redirected. `export` writes the same "
                + "from a recording."
        ),
        (
            "nmea",
            "NMEA 0183, for `watch` and `get` of a location: RMC, GGA, GSA and, if they are known, the satellites as GSV and the heading "
                + "as HDT. What is unknown is an empty field."
        ),
    ]

    /// How a signal ends the program.
    static let interruption = [
        "Ctrl-C ends `record`, whatever the broker does, and `watch --format mcap` cleanly, with status 0: what has arrived is in the file. "
            + "`import`, `export` and `plot` remove a file that is not complete, and `top` gives the screen back, before they end as "
            + "all other commands do at once (with 130 in a shell). No output is held back, so none is lost."
    ]

    private static func list(_ title: String, of audience: Command.Audience) -> [String] {
        let commands = Command.listed.filter { $0.audience == audience }
        let width = Command.listed.map { $0.name.count }.max() ?? 0
        return ["", title] + commands.map { "  \($0.name.padded(to: width))  \($0.summary)" }
    }

    private static func indented(_ paragraphs: [String]) -> [String] {
        paragraphs.flatMap { HelpLayout.wrapped(HelpLayout.plain($0), indent: 2) }
    }
}

extension Command {
    /// Whether a time or an interval can be written in its operands or options.
    fileprivate var takesTimes: Bool {
        operands.contains(where: \.isRequest)
            || options.contains { $0.value == .time || $0.value == .interval }
    }
}
