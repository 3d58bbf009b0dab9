internal import Configuration
internal import Platform

extension Scenario {
    /// The scenarios that come with the program.
    static let shippedNames = ShippedScenarios.all.map(\.name)

    /// Reads a scenario: a file or, by its name, one of those that come with the program.
    ///
    /// Everything that is wrong is thrown. What is none of their names is a path.
    init(_ nameOrPath: String) throws(ConfigurationErrors) {
        if let shipped = ShippedScenarios.all.first(where: { $0.name == nameOrPath }) {
            try self.init(Array(shipped.bytes), file: "\(shipped.name).scenario", ScenarioFiles(directory: nil))
            return
        }
        let directory =
            nameOrPath.contains("/")
            ? nameOrPath.split(
                separator: "/", omittingEmptySubsequences: false
            ).dropLast().joined(separator: "/") : "."
        try self.init(
            try Self.bytes(nameOrPath), file: nameOrPath,
            ScenarioFiles(directory: directory.isEmpty ? "/" : directory))
    }

    /// Reads a scenario's text; files that it names are looked for in a directory.
    init(text: String, directory: String? = nil) throws(ConfigurationErrors) {
        try self.init(Array(text.utf8), file: "scenario", ScenarioFiles(directory: directory))
    }

    private init(_ bytes: [UInt8], file: String, _ files: ScenarioFiles) throws(ConfigurationErrors) {
        var draft = ScenarioDraft(ConfigurationText(bytes, file: file), file: file, files)
        self = try draft.finished()
    }

    private static func bytes(_ path: String) throws(ConfigurationErrors) -> [UInt8] {
        func refusal(_ words: String) -> ConfigurationErrors {
            ConfigurationErrors(ConfigurationProblem(file: path, line: nil, words))
        }
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try WholeFile.read(path, maximumBytes: ConfigurationText.maximumBytes) } catch
        {
            throw refusal(
                "cannot be read (\(SystemError.words(for: error.code))): a scenario is a plain file of up to 256 KiB")
        }
        guard let bytes else {
            let meant = Suggestion.nearest(to: path, among: shippedNames).map { "did you mean \($0)?" }
            throw refusal(
                "there is no such file, and no scenario of that name: "
                    + (meant ?? "there are \(shippedNames.joined(separator: ", "))"))
        }
        return bytes
    }
}
