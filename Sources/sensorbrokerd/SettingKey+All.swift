internal import Configuration
internal import Devices
internal import Gpsd
internal import IIO
internal import Readings

/// The keys that there are, in the order in which the documentation has them.
extension SettingKey {
    static let all: [SettingKey] = Kind.all.filter(\.row.hasDevice).flatMap { of($0) } + ofClients

    /// The keys of a kind's section: those of its drivers, and those that every kind has.
    private static func of(_ kind: Kind) -> [SettingKey] {
        switch kind {
        case .location: [gpsd] + common(kind)
        case .acceleration: ofAccelerometers + ofSensors + common(kind) + [fastReaders]
        default: common(kind)
        }
    }

    private static let gpsd = SettingKey("Location", "Gpsd", \.gpsd, text: \.description) {
        (text) throws(SettingRefusal) in
        do throws(GpsdAddressError) { return try GpsdAddress(parsing: text) } catch {
            throw SettingRefusal(
                "\(ConfigurationProblem.excerpt("\(error)", length: 160)); write HOST:PORT, such as localhost:2947"
            )
        }
    }

    private static let ofAccelerometers: [SettingKey] = [
        SettingKey("Accelerometer", "Context", \.sensors.address, text: \.description) {
            (text) throws(SettingRefusal) in
            guard let address = IIOAddress(text) else {
                throw SettingRefusal("write local:, ip:HOST or ip:HOST:PORT")
            }
            return address
        },
        SettingKey(
            "Accelerometer", "MountMatrix", \.sensors.mountMatrix, text: { $0?.description ?? "" }
        ) { (text) throws(SettingRefusal) in
            do throws(MountMatrix.Refusal) { return try MountMatrix(text: text) } catch {
                throw SettingRefusal(
                    "\(ConfigurationProblem.excerpt(error.words, length: 160)); write three rows of three, such as 0, 1, 0; -1, 0, 0; 0, 0, 1"
                )
            }
        },
    ]

    private static func common(_ kind: Kind) -> [SettingKey] {
        let section = kind.row.section
        return [
            SettingKey(section, "WarmGraceSec", \.[kind].warmGrace, text: \.description) {
                (text) throws(SettingRefusal) in try span(text, from: 0, endless: true)
            },
            SettingKey(section, "MinimumIntervalSec", \.[kind].minimumInterval, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try span(text, from: 1_000)
            },
            SettingKey(section, "DefaultIntervalSec", \.[kind].defaultInterval, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try span(text, from: 1_000)
            },
            SettingKey(section, "Groups", \.[kind].groups, text: { $0?.description ?? "" }) {
                (text) throws(SettingRefusal) in try GroupList(text)
            },
        ]
    }

    /// A length of time of at most a day, or without end where that makes sense.
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
