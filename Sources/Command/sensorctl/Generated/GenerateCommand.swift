internal import Platform
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

    /// A file that is made from its present text.
    typealias File = (path: String, text: @Sendable (String) throws(Failure) -> String)

    /// The generated files.
    static let files: [File] = whole + ([ManualPage.parts] + KindPages.parts).map(file)

    private static let whole: [File] = [
        ("completions/sensorctl.bash", { _ in BashCompletion.text }),
        ("completions/sensorctl.zsh", { _ in ZshCompletion.text }),
        ("completions/sensorctl.fish", { _ in FishCompletion.text }),
        ("Sources/Ground/SensorValues/Kind+Constants.swift", { _ in KindSources.constants }),
        ("Sources/Ground/SensorValues/KindValues.swift", { _ in KindSources.values }),
        ("Sources/Library/SensorBroker/Sensor/Sensors.swift", { _ in KindSources.sensors }),
    ]

    private static func file(of parts: GeneratedParts) -> File {
        (parts.path, { (text) throws(Failure) in try parts.replaced(in: text) })
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        for file in Self.files {
            let path = "\(directory)/\(file.path)"
            let before = try String(decoding: InputFile(path).bytes(atMost: 1 << 20), as: UTF8.self)
            let after = try file.text(before)
            guard after != before else { continue }
            var output = try OutputFile(path, replaces: true)
            try output.write(Array(after.utf8))
            try output.finish()
            try terminal.print([path])
        }
    }
}
