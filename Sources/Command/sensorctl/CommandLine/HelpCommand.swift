internal import Platform
internal import Programs

extension Command {
    static let help = Self(
        name: "help", summary: "Explain sensorctl, or one of its commands",
        operands: [Operand(name: "COMMAND", completion: .commands, isOptional: true)],
        examples: [("sensorctl help watch", "the same as sensorctl watch --help")]
    ) { invocation throws(UsageError) in
        HelpCommand(topic: try invocation.operands.first.map(Command.named)?.name)
    }

    /// `--version` overrides everything else on the command line.
    static let version = Self(name: "version", summary: "Print the version", audience: .maintainer) { _ in
        VersionCommand()
    }
}

/// `sensorctl help`: prints the help.
struct HelpCommand: Action, Equatable {
    /// The command to explain; nil: the program.
    let topic: String?

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let command = Command.all.first { $0.name == topic }
        try terminal.print(command.map(HelpText.text) ?? HelpText.general)
    }
}

/// `sensorctl --version`: prints the version.
struct VersionCommand: Action, Equatable {
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        try terminal.print(["sensorctl \(Version.text)"])
    }
}
