import Foundation
import Programs
import Testing

@testable import sensorctl

@Suite("The table of commands") struct CommandTableTests {
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "matches the generated files in the tree, as the table of kinds does; else run: make generated",
        arguments: GenerateCommand.files.map(\.path))
    func tree(path: String) throws {
        let file = try #require(GenerateCommand.files.first { $0.path == path })
        let text = try String(contentsOf: Self.directory.appending(path: path), encoding: .utf8)
        #expect(try file.text(text) == text, "\(path) is not what the table says: run 'make generated'")
    }

    @Test("detects a manual without its markers, and a text that differs")
    func differs() throws {
        let page = try String(contentsOf: Self.directory.appending(path: "docs/man/sensorctl.1"), encoding: .utf8)
        let parts = ManualPage.parts
        #expect(try parts.replaced(in: page.replacing(".It Cm list", with: ".It Cm lst")) == page)
        #expect(throws: Failure.self) { try parts.replaced(in: ".Sh NAME") }
    }

    @Test("has each name once, and each option means one thing in a command")
    func names() {
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for command in Command.all {
            let options = (Option.common + command.options).map(\.name)
            #expect(Set(options).count == options.count, "\(command.name)")
        }
    }

    @Test("excludes options both ways, and only those that the command has", arguments: Command.all.map(\.name))
    func exclusions(name: String) throws {
        let command = try Command.named(name)
        let options = Option.common + command.options
        for option in options {
            guard let name = option.excludes, let other = options.first(where: { $0.name == name }) else { continue }
            #expect(other.excludes == option.name)
        }
    }

    @Test(
        "has the options that a command takes: the parser refuses those of others",
        arguments: Command.listed.map(\.name))
    func options(name: String) throws {
        let command = try Command.named(name)
        for option in Set(Command.listed.flatMap(\.options)).subtracting(Option.common) {
            var refusal = ""
            do throws(UsageError) {
                _ = try Invocation([name, option.text] + (option.value == nil ? [] : ["1"]))
            } catch { refusal = error.description }
            #expect(refusal.contains("is for ") != command.options.contains(option), "\(option.text): \(refusal)")
        }
    }

    @Test("has an example for each command, which the parser accepts", arguments: Command.listed.map(\.name))
    func examples(name: String) throws {
        let command = try Command.named(name)
        #expect(!command.examples.isEmpty && !command.summary.hasSuffix("."))
        for example in command.examples {
            let line = example.line.split { "<>".contains($0) }[0].split(separator: " ").map(String.init)
            let words = line.drop { $0 == "sudo" }
            #expect(words.first == "sensorctl" && words.dropFirst().first == name)
            _ = try Arguments(Array(words.dropFirst()))
        }
    }

    @Test("what everybody may use is not among the administrator's commands")
    func audiences() {
        let administrators = Command.listed.filter { $0.audience == .administrator }
        #expect(administrators.count > 5)
        #expect(!administrators.contains { $0.description.joined().contains("Whoever may use the broker's socket") })
    }

    @Test("is the help of each command, in 80 columns", arguments: Command.listed.map(\.name))
    func help(name: String) throws {
        let session = Session("\(name) --help", socket: "/nowhere")
        #expect(session.status == .done)
        #expect(session.output == Session("help \(name)", socket: "/nowhere").output)
        let command = try Command.named(name)
        for option in command.options { #expect(session.output.contains(option.text)) }
        let examples = Set(command.examples.map { "  " + $0.line })
        let long = session.lines.filter { $0.count > 80 && !examples.contains($0) }
        #expect(long.isEmpty)
    }
}
