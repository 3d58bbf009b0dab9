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
    static let table = SettingTable(Kind.all.filter(\.row.hasDevice).flatMap { of($0) } + ofClients)

    /// The keys of a kind's section: those of its drivers, and those that every kind has.
    private static func of(_ kind: Kind) -> [Key] {
        switch kind {
        case .location: [gpsd] + common(kind)
        case .acceleration: ofAccelerometers + ofSensors + calibration(kind) + common(kind) + [fastReaders]
        default: calibration(kind) + common(kind)
        }
    }

    private static let gpsd = Key("Location", "Gpsd", \.gpsd, text: \.description) {
        (text) throws(SettingRefusal) in
        do throws(GpsdAddressError) { return try GpsdAddress(parsing: text) } catch {
            throw SettingRefusal(
                "\(ConfigurationProblem.excerpt("\(error)", length: 160)); write HOST:PORT, such as localhost:2947"
            )
        }
    }

    private static let ofAccelerometers: [Key] = [
        Key("Accelerometer", "Context", \.sensors.address, text: \.description) {
            (text) throws(SettingRefusal) in
            guard let address = IIOAddress(text) else {
                throw SettingRefusal("write local:, ip:HOST or ip:HOST:PORT")
            }
            return address
        },
        Key(
            "Accelerometer", "MountMatrix", \.sensors.mountMatrix, text: { $0?.description ?? "" }
        ) { (text) throws(SettingRefusal) in
            do throws(MountMatrix.Refusal) { return try MountMatrix(text: text) } catch {
                throw SettingRefusal(
                    "\(ConfigurationProblem.excerpt(error.words, length: 160)); write three rows of three, such as 0, 1, 0; -1, 0, 0; 0, 0, 1"
                )
            }
        },
    ]

    private static func common(_ kind: Kind) -> [Key] {
        let section = kind.row.section
        return [
            Key(section, "WarmGraceSec", \.[kind].warmGrace, text: \.description) {
                (text) throws(SettingRefusal) in try span(text, from: 0, endless: true)
            },
            Key(section, "MinimumIntervalSec", \.[kind].minimumInterval, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try span(text, from: 1_000)
            },
            Key(section, "DefaultIntervalSec", \.[kind].defaultInterval, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try span(text, from: 1_000)
            },
            Key(section, "Groups", \.[kind].groups, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try GroupList(text)
            },
        ]
    }

    /// A key for a time span of at most a day, or infinite if that makes sense.
    static func span(
        _ text: String, from shortest: Int64, endless: Bool = false
    ) throws(SettingRefusal) -> TimeSpan {
        let longest = TimeSpan(nanoseconds: 86_400_000_000_000)
        let span: TimeSpan
        do throws(TimeSpanError) { span = try TimeSpan(parsing: text) } catch {
            throw SettingRefusal("\(error)\(endless ? ", or infinity" : "")")
        }
        if endless, span == .infinity { return span }
        guard (shortest...longest.nanoseconds).contains(span.nanoseconds) else {
            let words = "\(TimeSpan(nanoseconds: shortest)) to \(longest)\(endless ? ", or infinity" : "")"
            throw SettingRefusal("this is out of range; write \(words)")
        }
        return span
    }
}

/// The keys for several accelerometers, and for the sources of their mount matrix.
extension Settings {
    static let ofSensors: [Key] = [
        Key("Accelerometer", "Default", \.sensors.chosen, text: { $0 ?? "" }) {
            (text) throws(SettingRefusal) in text
        },
        Key(
            "Accelerometer", "MountMatrixSources", \.sensors.mountOrigins,
            text: { $0.map(\.rawValue).joined(separator: " ") }
        ) { (text) throws(SettingRefusal) in
            var origins: [MountOrigin] = []
            for word in text.split(separator: " ") {
                guard let origin = MountOrigin(rawValue: String(word)), !origins.contains(origin) else {
                    let known = MountOrigin.allCases.map(\.rawValue).joined(separator: " ")
                    throw SettingRefusal(
                        "'\(ConfigurationProblem.excerpt(word))' is unknown or occurs twice; "
                            + "write some of \(known), in order of preference")
                }
                origins.append(origin)
            }
            return origins
        },
    ]
}

/// The keys for clients: who may read what, and how much a user may have.
extension Settings {
    static let ofClients: [Key] = [
        Key("Clients", "StuckTimeoutSec", \.stuckTimeout, text: \.description) {
            (text) throws(SettingRefusal) in try span(text, from: 1_000_000_000)
        },
        most("MaxConnections", \.connections.total, mostConnections),
        most("MaxConnectionsPerUser", \.connections.perUser, 1...65_536),
        most("MaxSubscriptionsPerUser", \.subscriptions.perUser, 1...65_536),
    ]

    /// The range of `MaxConnections=`.
    static let mostConnections = 8...65_536

    static let fastReaders = Key("Accelerometer", "FastGroups", \.fastGroups, text: \.description) {
        (text) throws(SettingRefusal) in try GroupList(text)
    }

    private static func most(
        _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, _ range: ClosedRange<Int>
    ) -> Key {
        Key("Clients", name, path, text: \.description) { (text) throws(SettingRefusal) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingRefusal("write a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}
