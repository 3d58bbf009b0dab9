internal import Admission
internal import Configuration
internal import Delivery
internal import Devices
internal import Gpsd
internal import IIO
internal import Programs
internal import Readings
internal import Service

/// All settings, valid as a whole, with their defaults.
struct Settings: Equatable, Sendable {
    var gpsd = GpsdAddress.localhost
    /// The sources of the sensors, and their mount matrices.
    var sensors = SensorOptions()
    /// The settings of each kind that devices measure.
    private var kinds = Dictionary(
        uniqueKeysWithValues: Kind.all.filter(\.row.hasDevice).map { ($0, KindSettings()) })
    /// How long a client may leave data unread before it is disconnected.
    var stuckTimeout = TimeSpan(nanoseconds: Limits.stuckNanoseconds)
    var connections = Limits.connections
    var subscriptions = Limits.subscriptions
    var fastGroups = GroupList.usual()
    /// What programs may provide, by the names of resources.
    var feeds: [String: FeedSettings] = [:]
    /// The group that may read what a desktop needs, unless other groups are configured.
    var desktopGroup = GroupList.ofDesktop()

    var access: AccessPolicy {
        let readers = kinds.compactMap { kind, settings -> (Kind, Set<UInt32>)? in
            if let groups = settings.groups { return (kind, groups.groupIDs) }
            let desktop = desktopGroup.groupIDs
            return kind.row.access == .desktop && !desktop.isEmpty ? (kind, desktop) : nil
        }
        return .groups(readers: Dictionary(uniqueKeysWithValues: readers), fastReaders: fastGroups.groupIDs)
    }

    subscript(kind: Kind) -> KindSettings {
        get { kinds[kind] ?? KindSettings() }
        set { kinds[kind] = newValue }
    }

    var policies: [(kind: Kind, policy: ResourcePolicy)] {
        Kind.all.compactMap { kind in kinds[kind].map { (kind, $0.policy) } }
    }

    /// The settings with the command line's values, which have priority.
    func overridden(by arguments: Arguments) -> Self {
        var settings = self
        if arguments.isSimulated { (settings.gpsd, settings.sensors) = (Self().gpsd, Self().sensors) }
        if arguments.replay != nil {
            // A recording kept open without clients would play to nobody.
            for kind in kinds.keys { settings[kind].warmGrace = TimeSpan(nanoseconds: 0) }
        }
        settings.gpsd = arguments.gpsd ?? settings.gpsd
        settings.sensors.address = arguments.iio ?? settings.sensors.address
        return settings
    }
}

struct KindSettings: Equatable, Sendable {
    /// How long an unused device is kept open.
    var warmGrace = TimeSpan(nanoseconds: Supervisor.usualWarmGraceNanoseconds)
    /// The shortest interval of readings; nil: no limit.
    var minimumInterval: TimeSpan?
    /// The interval of requests that name none; nil: the kind's default.
    var defaultInterval: TimeSpan?

    /// The groups that may read it; nil: the default of the kind's row.
    var groups: GroupList?

    var policy: ResourcePolicy {
        ResourcePolicy(
            warmGraceNanoseconds: warmGrace.nanoseconds,
            intervals: IntervalPolicy(
                minimumNanoseconds: minimumInterval?.nanoseconds, defaultNanoseconds: defaultInterval?.nanoseconds))
    }
}

extension Settings {
    /// What `make generated` writes of the settings.
    static var files: [GeneratedFile] {
        let pages = SettingPages<Self>()
        return [
            GeneratedFile("docs/sensorbrokerd.conf", pages.example(head: head)),
            GeneratedFile(
                GeneratedParts(
                    "docs/man/sensorbrokerd.conf.5", comment: ".\\\"", parts: [("settings", pages.manual)])),
            GeneratedFile(
                GeneratedParts(
                    "docs/configuration.md", comment: "<!--", " -->", parts: [("settings", pages.markdown)])),
        ]
    }

    private static let head = """
        /etc/sensorbroker/sensorbrokerd.conf: the configuration of sensorbrokerd.

        Each setting shows its default, or an example if there is no default; remove the # to change it. None is necessary.
        Settings can also be in separate files, /etc/sensorbroker/sensorbrokerd.conf.d/*.conf.

          sensorbrokerd --check-config    prints every error, or the settings in force with the lines that set them
          systemctl reload sensorbrokerd  makes the daemon read it again, without a restart

        For details, see man sensorbrokerd.conf
        """
}
