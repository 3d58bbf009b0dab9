internal import Programs

extension Command {
    static let generate = Self(
        name: "generate", summary: "Write the files and parts of files that are generated", audience: .maintainer,
        operands: [Operand(name: "DIRECTORY", completion: .files)],
        description: ["DIRECTORY is the project's. `make generated` calls this; a test fails if it was forgotten."]
    ) { GenerateCommand(directory: $0.operands[0]) }
}

/// `sensorctl generate`: writes what follows from the tables of commands and of kinds into the source tree.
struct GenerateCommand: Action, Equatable {
    let directory: String

    static let files: [GeneratedFile] =
        [
            GeneratedFile("completions/sensorctl.bash", BashCompletion.text),
            GeneratedFile("completions/sensorctl.zsh", ZshCompletion.text),
            GeneratedFile("completions/sensorctl.fish", FishCompletion.text),
            GeneratedFile("Sources/Ground/SensorValues/Kind+Constants.swift", KindSources.constants),
            GeneratedFile("Sources/Ground/SensorValues/KindVectors.swift", KindSources.vectors),
            GeneratedFile("Sources/Ground/SensorValues/KindNumbers.swift", KindSources.numbers),
            GeneratedFile("Sources/Library/SensorBroker/Sensor/Sensors.swift", KindSources.sensors),
        ] + ([ManualPage.parts] + KindPages.parts).map { GeneratedFile($0) }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        try GeneratedFile.write(Self.files, in: directory)
    }
}
