internal import Admission
internal import Configuration
internal import Platform
internal import Programs
internal import Readings
internal import Service

extension ConfigurationFiles {
    /// The files for a command line; a named instance has its own.
    init(_ arguments: Arguments) {
        let suffix = arguments.instance.map { ".\($0)" } ?? ""
        self.init(named: arguments.configuration, usual: Self.usual("sensorbrokerd\(suffix).conf"))
    }

    /// Reads all files; throws all errors in them.
    func read() throws(ConfigurationErrors) -> Configured<Settings> {
        let (files, problems) = contents()
        return try Configured(files, problems, descriptors: DescriptorLimit.most)
    }
}

/// What no single line shows to be wrong.
extension Configured<Settings> {
    /// Parses the files in the order of reading; `descriptors` is the process's limit on open descriptors.
    init(
        _ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = [], descriptors: Int
    ) throws(ConfigurationErrors) {
        try self.init(files, earlier) { configured in
            var problems: [ConfigurationProblem] = []
            configured.checkWhole(descriptors, &problems)
            return problems
        }
    }

    private mutating func checkWhole(_ descriptors: Int, _ problems: inout [ConfigurationProblem]) {
        for kind in Kind.all where kind.row.hasDevice {
            checkIntervals(kind.row.section, settings[kind], &problems)
        }
        checkConnections(descriptors, &problems)
        checkUsersShare("MaxConnectionsPerUser", settings.connections.perUser, &problems)
        checkUsersShare("MaxSubscriptionsPerUser", settings.subscriptions.perUser, &problems)
        if settings.fastGroups.lacksFastGroup {
            remarks["[Accelerometer] FastGroups="] =
                "there is no group '\(GroupList.fastName)' on this host, so no user may read fast by membership in it; "
                + "create it (groupadd --system \(GroupList.fastName)), or name another"
        }
    }

    /// The remarks for this host: none if it lacks the group `sensorbroker`, as before an installation.
    ///
    /// Without that group, only root and the daemon's own user can connect. May block.
    var remarksForHost: [String] {
        guard Accounts.groupID(named: "sensorbroker") != nil else { return [] }
        return remarks.sorted { $0.key < $1.key }.map(\.value)
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
    /// If only the default is too large, a remark reports that, and clients over the limit have to wait.
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
        let cure = most < Settings.mostConnections.lowerBound ? "" : ", or write \(most) or less"
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
}
