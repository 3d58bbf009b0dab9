import Programs
import Testing

@Suite("The words of a command line") struct CommandWordsTests {
    private struct Arguments: Equatable {
        var path: String?
        var scenario = "none"
        var format = "text"
        var isLoud = false
    }

    private let table = OptionTable<Arguments>([
        .init(Option("path", letter: "p", takes: .file, "A path"), \.path),
        .init(Option("mock", takes: .init("SCENARIO", form: .optional), "A scenario")) { $1.scenario = $0 },
        .init(Option("format", takes: .init(oneOf: ["text", "json"]), "The format")) { $1.format = $0 },
        .init(Option("loud", "Be loud", "Very loud.")) { $1.isLoud = true },
        .init(Option("exec", takes: .init("COMMAND", form: .rest), "Run a command")) { _, _ in },
    ])

    private func read(_ words: String...) throws -> (arguments: Arguments, words: CommandWords) {
        var arguments = Arguments()
        let words = try table.read(words, into: &arguments)
        return (arguments, words)
    }

    @Test("have options anywhere, with their values after a space or =, and the last one counts")
    func options() throws {
        let (arguments, words) = try read("a", "--path", "x", "--loud", "b", "--path=y=z", "-")
        #expect(arguments == Arguments(path: "y=z", isLoud: true) && words.others == ["a", "b", "-"])
        #expect(try read("-p", "q").arguments.path == "q")
        #expect(try read("--", "--path").words.others == ["--path"])
    }

    @Test("may leave out a value that is optional, and give the rest of the line to a command")
    func forms() throws {
        #expect(try read("--mock", "x").arguments.scenario == "")
        #expect(try read("--mock=x").arguments.scenario == "x")
        let words = try read("--exec", "run", "--loud").words
        #expect(words.rest == ["run", "--loud"] && words.options.map(\.option.name) == ["exec"])
    }

    @Test(
        "are refused with what to write instead",
        arguments: [
            (["--paht", "x"], "unknown option --paht: did you mean --path?"), (["-x"], "unknown option -x"),
            (["--path"], "--path needs a value: --path FILE"), (["--path="], "--path needs a value"),
            (["--mock="], "--mock needs a value: --mock[=SCENARIO]"), (["--loud=1"], "--loud takes no value"),
            (["--exec"], "--exec needs a value: --exec COMMAND..."), (["--exec=x"], "--exec needs a value"),
            (["--format", "csv"], "--format does not take 'csv': write text or json"),
            (["more"], "unknown argument 'more'"), ([""], "unknown argument ''"),
        ])
    func refused(words: [String], message: String) {
        var arguments = Arguments()
        let error = #expect(throws: UsageError.self) { try table.readOptions(words, into: &arguments) }
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test("are explained by the help, in 80 columns")
    func help() {
        #expect(table.help.contains("  -p, --path FILE           A path.\n"))
        #expect(table.help.contains("  --mock[=SCENARIO]         A scenario.\n"))
        #expect(table.help.contains("  --loud                    Be loud. Very loud.\n"))
        #expect(table.help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
