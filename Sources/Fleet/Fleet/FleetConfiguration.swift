public import Configuration

/// The combined configuration files: later ones override earlier ones, and one error makes all of them invalid.
public struct FleetConfiguration: Equatable, Sendable {
    /// The settings.
    public private(set) var settings = FleetSettings()
    private var files: [String] = []
    private var origins: [String: String] = [:]

    /// Who reads it.
    public enum Reader: Sendable {
        /// The bridge of a host, which sends something.
        case bridge
        /// A consumer, which only needs to know the server.
        case consumer
    }

    /// Parses the files in the order of reading; throws all errors of all files, after those of reading them.
    public init(
        _ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = [], for reader: Reader = .bridge
    ) throws(ConfigurationErrors) {
        var problems = earlier
        for (path, bytes) in files {
            self.files.append(path)
            let text = ConfigurationText(bytes, file: path)
            var found = text.problems
            for section in text.sections { take(section, of: path, &found) }
            problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        }
        if let errors = ConfigurationErrors(problems) { throw errors }
        try checkWhole(for: reader)
    }

    /// The settings in force with their origins, as a valid configuration file.
    public var text: String {
        var lines = files.isEmpty ? ["# There is no configuration file."] : []
        lines += files.map { "# \($0)" }
        for section in FleetKey.sections {
            lines += ["", "[\(section)]"]
            if section == FleetKey.readings {
                for reading in settings.readings {
                    lines += origin("[\(section)] \(reading.resource)=")
                    lines.append("\(reading.resource)=\(reading.text)")
                }
            }
            for key in FleetKey.all where key.section == section {
                lines += origin(key.title)
                let text = key.text(settings)
                lines.append(text.isEmpty ? "#\(key.name)=" : "\(key.name)=\(text)")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func origin(_ title: String) -> [String] { origins[title].map { ["# \($0)"] } ?? [] }

    private mutating func take(
        _ section: ConfigurationSection, of file: String, _ problems: inout [ConfigurationProblem]
    ) {
        guard FleetKey.sections.contains(section.name) else {
            let message = "there is no section [\(ConfigurationProblem.excerpt(section.name))]: "
            return problems.append(
                ConfigurationProblem(
                    file: file, line: section.line,
                    message + Self.remedy(for: section.name, among: FleetKey.sections) { "[\($0)]" }))
        }
        for entry in section.entries {
            do throws(FleetRefusal) {
                let title = "[\(section.name)] \(entry.key)="
                if section.name == FleetKey.readings { try takeReading(entry) } else { try take(entry, section.name) }
                origins[title] = entry.value.isEmpty ? nil : "\(file):\(entry.line)"
            } catch {
                problems.append(ConfigurationProblem(file: file, line: entry.line, error.words))
            }
        }
    }

    private mutating func take(_ entry: ConfigurationSection.Entry, _ section: String) throws(FleetRefusal) {
        let keys = FleetKey.all.filter { $0.section == section }
        guard let key = keys.first(where: { $0.name == entry.key }) else {
            let remedy = Self.remedy(for: entry.key, among: keys.map(\.name)) { "\($0)=" }
            throw FleetRefusal("[\(section)] has no '\(ConfigurationProblem.excerpt(entry.key))=': \(remedy)")
        }
        do throws(FleetRefusal) { try key.set(entry.value, &settings) } catch {
            throw FleetRefusal("\(key.title)\(ConfigurationProblem.excerpt(entry.value)): \(error.words)")
        }
    }

    private mutating func takeReading(_ entry: ConfigurationSection.Entry) throws(FleetRefusal) {
        settings.readings.removeAll { $0.resource == entry.key }
        guard !entry.value.isEmpty else { return }
        do throws(FleetRefusal) {
            settings.readings.append(try WantedReading(resource: entry.key, parsing: entry.value))
        } catch {
            throw FleetRefusal(
                "[\(FleetKey.readings)] \(ConfigurationProblem.excerpt(entry.key))="
                    + "\(ConfigurationProblem.excerpt(entry.value)): \(error.words)")
        }
    }

    /// What no single value shows to be wrong.
    private func checkWhole(for reader: Reader) throws(ConfigurationErrors) {
        let file = files.first ?? (reader == .bridge ? "sensorbroker-mqtt.conf" : "the command line")
        func fail(_ message: String) -> ConfigurationErrors {
            ConfigurationErrors(ConfigurationProblem(file: file, line: nil, message))
        }
        guard let server = settings.server else {
            let place = reader == .consumer ? ", or give --server mqtts://broker.example" : ""
            throw fail("there is no server: write Url=mqtts://broker.example under [Server]\(place)")
        }
        guard !settings.readings.isEmpty || reader == .consumer else {
            throw fail(
                "there is nothing to send: write location=1s under [Readings]; the names are those of sensorctl list")
        }
        guard settings.readings.count <= 64 else { throw fail("there are more than 64 resources under [Readings]") }
        guard (settings.certificate == nil) == (settings.key == nil) else {
            throw fail("Certificate= and Key= belong together: write both under [Server], or neither")
        }
        guard server.isEncrypted || (settings.certificate == nil && settings.authority == nil) else {
            throw fail(
                "Certificate=, Key= and Authority= are for encrypted connections: write Url=mqtts://…, or leave them out"
            )
        }
        guard settings.allowsRemoteInterval || settings.minimumInterval == nil else {
            throw fail("MinInterval= is for RemoteInterval=yes: write both under [Control], or neither")
        }
        guard settings.ownTracks == nil || settings.readings.contains(where: { $0.resource == "location" }) else {
            throw fail("[OwnTracks] Topic= needs locations: write location=1s under [Readings]")
        }
        guard settings.passwordFile == nil || settings.user != nil else {
            throw fail("PasswordFile= is for a user: write User= too")
        }
    }

    private static func remedy(for word: String, among words: [String], _ shape: (String) -> String) -> String {
        if let meant = Suggestion.nearest(to: word, among: words) { return "did you mean \(shape(meant))?" }
        return "take it out, or write one of \(words.map(shape).joined(separator: " "))"
    }
}
