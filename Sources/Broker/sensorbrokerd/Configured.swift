internal import Admission
internal import Configuration
internal import Platform
internal import Readings
internal import Service

/// The combined configuration files.
///
/// Later files override earlier ones, and one error makes all of them invalid.
struct Configured: Equatable, Sendable {
    /// Where a setting was made.
    struct Origin: Equatable, Sendable {
        let file: String
        let line: Int
    }

    /// The settings.
    private(set) var settings = Settings()
    /// The files in the order of reading.
    private(set) var files: [String] = []
    /// The origin of each setting by its key's title; absent if no file has it.
    private(set) var origins: [String: Origin] = [:]
    /// Remarks on settings that are valid but do not have their intended effect, by the title of the key.
    private(set) var remarks: [String: String] = [:]

    /// Parses the files in the order of reading.
    ///
    /// All errors of all files are thrown together, after those of reading them. `descriptors` is the process's limit
    /// on open descriptors.
    init(
        _ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = [],
        descriptors: Int = DescriptorLimit.most
    ) throws(ConfigurationErrors) {
        var problems = earlier
        for (path, bytes) in files {
            self.files.append(path)
            let text = ConfigurationText(bytes, file: path)
            var found = text.problems
            for section in text.sections { take(section, of: path, &found) }
            problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        }
        for kind in Kind.all where kind.row.hasDevice {
            checkIntervals(kind.row.section, settings[kind], &problems)
        }
        checkConnections(descriptors, &problems)
        checkUsersShare("MaxConnectionsPerUser", settings.connections.perUser, &problems)
        checkUsersShare("MaxSubscriptionsPerUser", settings.subscriptions.perUser, &problems)
        if let errors = ConfigurationErrors(problems) { throw errors }
        if settings.fastGroups.lacksFastGroup {
            remarks["[Accelerometer] FastGroups="] =
                "there is no group '\(GroupList.fastName)' on this host, so no user may read fast by membership in it; "
                + "create it (groupadd --system \(GroupList.fastName)), or name another"
        }
    }

    /// Remarks that apply on this host.
    struct Remarks: Sendable {
        fileprivate let texts: [String]

        /// Logs them.
        func log(in journal: Journal) { for text in texts { journal.write(.warning, text) } }
    }

    /// The remarks for this host: none if it lacks the group `sensorbroker`, as before an installation.
    ///
    /// Without that group, only root and the daemon's own user can connect. May block.
    var remarksForHost: Remarks {
        guard Accounts.groupID(named: "sensorbroker") != nil else { return Remarks(texts: []) }
        return Remarks(texts: remarks.sorted { $0.key < $1.key }.map(\.value))
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

    /// The default interval must be within the limits; the error is reported where the later of the two is set.
    private func checkIntervals(_ section: String, _ kind: KindSettings, _ problems: inout [ConfigurationProblem]) {
        guard let shortest = kind.minimumInterval, let standard = kind.defaultInterval,
            standard.nanoseconds < shortest.nanoseconds, let origin = origins["[\(section)] DefaultIntervalSec="]
        else { return }
        problems.append(
            ConfigurationProblem(
                file: origin.file, line: origin.line,
                "[\(section)] DefaultIntervalSec=\(standard) is shorter than MinimumIntervalSec=\(shortest): "
                    + "change one of them"))
    }

    /// A connection needs a descriptor, so it is an error to ask for more connections than the limit on descriptors.
    ///
    /// If only the default is too large, a remark says so, and clients over the limit have to wait.
    private mutating func checkConnections(_ descriptors: Int, _ problems: inout [ConfigurationProblem]) {
        let (title, wanted) = ("[Clients] MaxConnections=", settings.connections.total)
        let most = descriptors - Limits.ownDescriptors
        guard wanted > most else { return }
        let raise = "LimitNOFILE=\(wanted + Limits.ownDescriptors) in the unit, or ulimit -Hn"
        let words =
            "\(title)\(wanted) is more than the \(descriptors) descriptors of this process allow, of which it needs "
            + "\(Limits.ownDescriptors) itself: raise that limit (\(raise))"
        guard let origin = origins[title] else {
            remarks[title] = words
            return
        }
        let cure = most < SettingKey.mostConnections.lowerBound ? "" : ", or write \(most) or less"
        problems.append(ConfigurationProblem(file: origin.file, line: origin.line, words + cure))
    }

    /// The share of a user must not exceed the total.
    private func checkUsersShare(_ key: String, _ share: Int, _ problems: inout [ConfigurationProblem]) {
        let total = settings.connections.total
        guard share > total, let origin = origins["[Clients] \(key)="] else { return }
        problems.append(
            ConfigurationProblem(
                file: origin.file, line: origin.line,
                "[Clients] \(key)=\(share) is more than MaxConnections=\(total): change one of them"))
    }

    private static func remedy(for word: String, among words: [String], _ shape: (String) -> String) -> String {
        if let meant = Suggestion.nearest(to: word, among: words) { return "did you mean \(shape(meant))?" }
        return "take it out, or write one of \(words.map(shape).joined(separator: " "))"
    }
}
