internal import Configuration

/// What the configuration files say together: later ones win, and everything must be right or nothing counts.
struct Configured: Equatable, Sendable {
    /// Where a value was set.
    struct Origin: Equatable, Sendable {
        let file: String
        let line: Int
    }

    /// What is set.
    private(set) var settings = Settings()
    /// The files that were read, in order.
    private(set) var files: [String] = []
    /// By the title of a key; not there where no file sets it.
    private(set) var origins: [String: Origin] = [:]

    /// Takes in the bytes of files, in the order in which they are to be read.
    ///
    /// All errors of all files are thrown together, after those that reading them gave already.
    init(_ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = []) throws(ConfigurationErrors)
    {
        var problems = earlier
        for (path, bytes) in files {
            self.files.append(path)
            let text = ConfigurationText(bytes, file: path)
            var found = text.problems
            for section in text.sections { take(section, of: path, &found) }
            problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        }
        checkIntervals("Location", settings.location, &problems)
        checkIntervals("Accelerometer", settings.acceleration, &problems)
        if let errors = ConfigurationErrors(problems) { throw errors }
    }

    private mutating func take(
        _ section: ConfigurationSection, of file: String, _ problems: inout [ConfigurationProblem]
    ) {
        let keys = SettingKey.all.filter { $0.section == section.name }
        guard !keys.isEmpty else {
            let message = "there is no section [\(ConfigurationProblem.excerpt(section.name))]: "
            return problems.append(
                ConfigurationProblem(
                    file: file, line: section.line,
                    message + Self.remedy(for: section.name, among: SettingKey.sections) { "[\($0)]" }))
        }
        for entry in section.entries {
            do throws(SettingRefusal) { try take(entry, keys, of: file) } catch {
                problems.append(ConfigurationProblem(file: file, line: entry.line, error.words))
            }
        }
    }

    private mutating func take(
        _ entry: ConfigurationSection.Entry, _ keys: [SettingKey], of file: String
    ) throws(SettingRefusal) {
        guard let key = keys.first(where: { $0.name == entry.key }) else {
            let remedy = Self.remedy(for: entry.key, among: keys.map(\.name)) { "\($0)=" }
            throw SettingRefusal("[\(keys[0].section)] has no '\(ConfigurationProblem.excerpt(entry.key))=': \(remedy)")
        }
        do throws(SettingRefusal) { try key.set(entry.value, &settings) } catch {
            throw SettingRefusal("\(key.title)\(ConfigurationProblem.excerpt(entry.value)): \(error.words)")
        }
        origins[key.title] = entry.value.isEmpty ? nil : Origin(file: file, line: entry.line)
    }

    /// The default must be one of the intervals that are granted; told where the later of the two stands.
    private func checkIntervals(_ section: String, _ kind: KindSettings, _ problems: inout [ConfigurationProblem]) {
        guard let shortest = kind.minimumInterval, let standard = kind.defaultInterval,
            standard.nanoseconds < shortest.nanoseconds, let origin = origins["[\(section)] DefaultIntervalSec="]
        else { return }
        problems.append(
            ConfigurationProblem(
                file: origin.file, line: origin.line,
                "[\(section)] DefaultIntervalSec=\(standard) is shorter than MinimumIntervalSec=\(shortest): "
                    + "make one of them fit the other"))
    }

    private static func remedy(for word: String, among words: [String], _ shape: (String) -> String) -> String {
        if let meant = Suggestion.nearest(to: word, among: words) { return "did you mean \(shape(meant))?" }
        return "take it out, or write one of \(words.map(shape).joined(separator: " "))"
    }
}
