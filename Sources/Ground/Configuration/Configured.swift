/// The combined configuration files.
///
/// Later files override earlier ones, and one error makes all of them invalid.
public struct Configured<Settings: ConfigurableSettings>: Equatable, Sendable {
    /// Where a setting was made.
    public struct Origin: Equatable, Sendable {
        /// The file.
        public let file: String
        /// The line in that file, counted from 1.
        public let line: Int
    }

    /// The settings.
    public private(set) var settings = Settings()
    /// The files in the order of reading.
    public private(set) var files: [String] = []
    /// The origin of each setting by its key's title; absent if no file has it.
    public private(set) var origins: [String: Origin] = [:]
    /// Remarks on settings that are valid but do not have their intended effect, by the title of the key.
    public var remarks: [String: String] = [:]

    /// Parses the files in the order of reading.
    ///
    /// All errors of all files are thrown together, after those of reading them, and before those that `check` finds in the whole.
    public init(
        _ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = [],
        check: (inout Self) -> [ConfigurationProblem] = { _ in [] }
    ) throws(ConfigurationErrors) {
        var problems = earlier
        let table = Settings.table
        for (path, bytes) in files {
            self.files.append(path)
            let text = ConfigurationText(bytes, file: path)
            var found = text.problems
            for section in text.sections { take(section, of: path, by: table, &found) }
            problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        }
        problems += check(&self)
        if let errors = ConfigurationErrors(problems) { throw errors }
    }

    private mutating func take(
        _ section: ConfigurationSection, of file: String, by table: SettingTable<Settings>,
        _ problems: inout [ConfigurationProblem]
    ) {
        let keys: SettingSection<Settings>?
        do throws(SettingRefusal) { keys = try table.section(named: section.name, in: &settings) } catch {
            let words = "[\(ConfigurationProblem.excerpt(section.name))]: \(error.words)"
            return problems.append(ConfigurationProblem(file: file, line: section.line, words))
        }
        guard let keys else {
            let known = table.sections.map(\.name) + table.families.map(\.example.name)
            let remedy = Suggestion.remedy(for: section.name, among: known) { "[\($0)]" }
            return problems.append(
                ConfigurationProblem(
                    file: file, line: section.line,
                    "there is no section [\(ConfigurationProblem.excerpt(section.name))]: \(remedy)"))
        }
        for entry in section.entries {
            do throws(SettingRefusal) {
                let title = try keys.take(entry, into: &settings)
                origins[title] = entry.value.isEmpty ? nil : Origin(file: file, line: entry.line)
            } catch {
                problems.append(ConfigurationProblem(file: file, line: entry.line, error.words))
            }
        }
    }

    /// The settings in force with their origins, as a valid configuration file.
    ///
    /// `overridden` are the settings with the command line's values, which have priority.
    public func text(overridden: Settings? = nil) -> String {
        let inForce = overridden ?? settings
        var lines = files.isEmpty ? ["# There is no configuration file."] : []
        lines += files.map { "# \($0)" }
        for section in Settings.table.sections(of: inForce) {
            lines += ["", "[\(section.name)]"]
            for (key, value) in section.entries?.list(inForce) ?? [] {
                lines += origin(of: "[\(section.name)] \(key)=") + ["\(key)=\(value)"]
            }
            for key in section.keys {
                let text = key.text(inForce)
                lines += text == key.text(settings) ? origin(of: key.title) : ["# from the command line"]
                if let remark = remarks[key.title] { lines.append("# note: \(remark)") }
                lines.append(text.isEmpty ? "#\(key.name)=" : "\(key.name)=\(text)")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func origin(of title: String) -> [String] { origins[title].map { ["# \($0.file):\($0.line)"] } ?? [] }
}
