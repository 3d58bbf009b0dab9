internal import Admission
internal import Configuration
internal import Devices
internal import Gpsd
internal import IIO
internal import Readings
internal import Service

extension Settings: ConfigurableSettings {
    typealias Key = SettingKey<Self>

    /// All keys, in the order of the documentation.
    static var table: SettingTable<Self> {
        SettingTable(
            Kind.all.filter(\.row.hasDevice).map { SettingSection($0.row.section, about($0), keys(of: $0)) } + [
                SettingSection("Clients", "How much clients may have.", ofClients)
            ], [feedFamily])
    }

    /// What a kind's section is about.
    private static func about(_ kind: Kind) -> String {
        let derived = Kind.all.map(\.row).filter { $0.source == .derived(from: [kind]) }.map { "`\($0.resource)`" }
        let others =
            derived.isEmpty
            ? "" : " \(derived.joined(separator: " and ")) are derived from it, and have its readers."
        let parts =
            kind != .angularVelocity
            ? ""
            : " It has the gyroscopes in the context of `[Accelerometer]`, also those that are part of an accelerometer's device; "
                + "their mount matrices come from their drivers."
        return "Kind `\(kind.wire)`: \(kind.row.words.summary).\(others)\(parts)"
    }

    /// The keys of a kind's section: those of its drivers, and those that every kind has.
    private static func keys(of kind: Kind) -> [Key] {
        switch kind {
        case .location: [gpsd] + common(kind)
        case .acceleration: ofAccelerometers + calibration(kind) + common(kind) + [fastReaders]
        default: calibration(kind) + common(kind)
        }
    }

    private static var gpsd: Key {
        let form = SettingForm("`HOST` or `HOST:PORT`", text: \.description) {
            (text) throws(SettingRefusal) -> GpsdAddress in
            do throws(GpsdAddressError) { return try GpsdAddress(parsing: text) } catch {
                throw SettingRefusal(
                    "\(ConfigurationProblem.excerpt("\(error)", length: 160)); write HOST:PORT, such as localhost:2947")
            }
        }
        return Key("Gpsd", \.gpsd, form, "The address of gpsd.")
    }

    private static func common(_ kind: Kind) -> [Key] {
        let standard = kind.row.standardNanoseconds
        let interval = SettingForm.span(from: 1_000, to: longest)
        return [
            Key(
                "WarmGraceSec", \.[kind].warmGrace, .span(from: 0, to: longest, endless: true),
                "How long an unused device is kept open and read; `0`: not at all, `infinity`: until memory is short."),
            Key(
                "MinimumIntervalSec", \.[kind].minimumInterval, interval,
                """
                The shortest interval of readings; shorter requests, also those for every sample, are granted this interval.
                """, default: "the device's shortest", example: "\(TimeSpan(nanoseconds: standard / 5))"),
            Key(
                "DefaultIntervalSec", \.[kind].defaultInterval, interval,
                "The interval of requests that do not name one.", default: "`\(TimeSpan(nanoseconds: standard))`",
                example: "\(TimeSpan(nanoseconds: standard))"),
            Key(
                "Groups", \.[kind].groups, GroupList.form,
                "The groups whose members may read it. Others do not see it in the list, and get `PermissionDenied`.",
                default: readers(kind.row), example: "users"),
        ]
    }

    private static func readers(_ row: KindRow) -> String {
        switch row.access {
        case .everyone: "everybody who can connect"
        case .closed: "nobody but root and the user of the service"
        case .desktop: "nobody but root, the user of the service and `sensorbroker-desktop`"
        case .like(let kinds):
            "the readers of " + kinds.map { "`[\($0.row.section)]`" }.joined(separator: " who are also those of ")
        }
    }

    /// The longest time span of most settings: a day.
    private static let longest: Int64 = 86_400_000_000_000
}

/// The keys for accelerometers: where they are, how they are mounted, and who may read them fast.
extension Settings {
    private static var ofAccelerometers: [Key] {
        let context = SettingForm("`local:`, `ip:HOST` or `ip:HOST:PORT`", text: \.description) {
            (text) throws(SettingRefusal) -> IIOAddress in
            guard let address = IIOAddress(text) else { throw SettingRefusal("write local:, ip:HOST or ip:HOST:PORT") }
            return address
        }
        let matrix = SettingForm(
            "nine numbers such as `0, 1, 0; -1, 0, 0; 0, 0, 1`, which are a rotation or a reflection: the dot product of two rows "
                + "is 0, and that of a row with itself 1, each within 0.05",
            text: \.description
        ) { (text) throws(SettingRefusal) -> MountMatrix in
            do throws(MountMatrix.Refusal) { return try MountMatrix(text: text) } catch {
                throw SettingRefusal(
                    "\(ConfigurationProblem.excerpt(error.words, length: 160)); write three rows of three, such as 0, 1, 0; -1, 0, 0; 0, 0, 1"
                )
            }
        }
        let name = SettingForm(
            "a serial number, a place in the device (`display`, `base`), a driver's name or `iio:deviceN`", text: { $0 }
        ) { (text) throws(SettingRefusal) -> String in text }
        return [
            Key("Context", \.sensors.address, context, "The IIO context."),
            Key(
                "MountMatrix", \.sensors.mountMatrix, matrix,
                """
                [How the chip is mounted](accelerometer.md#axes-and-signs), row by row, as in udev's `ACCEL_MOUNT_MATRIX`: the
                matrix with which `orientation` is right for all four edges. It overrides the system's matrix, for the gyroscope of
                the same device as well.
                """, default: "the system's matrix", example: "0, 1, 0; -1, 0, 0; 0, 0, 1"),
            Key(
                "Default", \.sensors.chosen, name,
                """
                Which of several sensors is named `accelerometer`. While none matches, `accelerometer` is unavailable, and the reason
                names those that are present. [`orientation` and `tilt`](accelerometer.md#orientation) stay with the display's. A
                change requires a restart.
                """, default: "the one in the display, else the first", example: "display"),
            Key(
                "MountMatrixSources", \.sensors.mountOrigins, mountOrigins,
                "The sources of the mount matrix, in order; the first one that has a matrix is used."),
        ]
    }

    private static var mountOrigins: SettingForm<[MountOrigin]> {
        let known = MountOrigin.allCases.map(\.rawValue)
        return SettingForm(
            "some of \(known.map { "`\($0)`" }.joined(separator: ", "))",
            text: { $0.map(\.rawValue).joined(separator: " ") }
        ) { (text) throws(SettingRefusal) in
            var origins: [MountOrigin] = []
            for word in text.split(separator: " ") {
                guard let origin = MountOrigin(rawValue: String(word)), !origins.contains(origin) else {
                    throw SettingRefusal(
                        "'\(ConfigurationProblem.excerpt(word))' is unknown or occurs twice; "
                            + "write some of \(known.joined(separator: " ")), in order of preference")
                }
                origins.append(origin)
            }
            return origins
        }
    }

    private static var fastReaders: Key {
        Key(
            "FastGroups", \.fastGroups, GroupList.fastForm,
            """
            The groups whose members may read faster than 200 Hz, the rate above which accelerations reveal speech and keystrokes;
            others are granted 5 ms at least. If the host has no group `sensorbroker-fast`, no user may read faster, and a note in
            the log says so.
            """)
    }
}

/// The keys for clients: how much a user may have.
extension Settings {
    /// The range of `MaxConnections=`.
    static let mostConnections = 8...65_536

    private static var ofClients: [Key] {
        [
            Key(
                "StuckTimeoutSec", \.stuckTimeout, .span(from: 1_000_000_000, to: longest),
                "How long a client may leave data unread before its stream is ended."),
            Key(
                "MaxConnections", \.connections.total, .number(in: mostConnections),
                """
                How many connections, and subscriptions, all users may have together. At most the process's limit on descriptors
                less \(Limits.ownDescriptors), which the daemon needs itself; to allow more, raise `LimitNOFILE=` in the unit (8192) first.
                """),
            Key(
                "MaxConnectionsPerUser", \.connections.perUser, .number(in: 1...65_536),
                "How many connections one user may have."),
            Key(
                "MaxSubscriptionsPerUser", \.subscriptions.perUser, .number(in: 1...65_536),
                "How many subscriptions one user may have."),
        ]
    }
}
