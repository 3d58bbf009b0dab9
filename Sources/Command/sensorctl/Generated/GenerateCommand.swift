internal import Platform

extension Command {
    static let generate = Self(
        name: "generate", summary: "Write the completions and the generated parts of the manual", audience: .maintainer,
        operands: [Operand(name: "DIRECTORY", completion: .files)],
        description: ["DIRECTORY is the project's. `make generated` calls this; a test fails if it was forgotten."]
    ) { GenerateCommand(directory: $0.operands[0]) }
}

/// `sensorctl generate`: writes the files that are generated from the table of commands into the source tree.
struct GenerateCommand: Action, Equatable {
    let directory: String

    /// The generated files by path; each is made from its present text.
    static let files: [(path: String, text: @Sendable (String) throws(Failure) -> String)] = [
        ("completions/sensorctl.bash", { _ in BashCompletion.text }),
        ("completions/sensorctl.zsh", { _ in ZshCompletion.text }),
        ("completions/sensorctl.fish", { _ in FishCompletion.text }),
        ("docs/man/sensorctl.1", { (page) throws(Failure) in try ManualPage.text(replacingPartsOf: page) }),
    ]

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
