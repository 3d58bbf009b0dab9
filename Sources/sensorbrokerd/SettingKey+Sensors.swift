internal import Configuration
internal import IIO

/// The keys that are about several accelerometers, and about who is believed of them.
extension SettingKey {
    static let ofSensors: [SettingKey] = [
        SettingKey("Accelerometer", "Default", \.sensors.chosen, text: { $0 ?? "" }) {
            (text) throws(SettingRefusal) in text
        },
        SettingKey(
            "Accelerometer", "MountMatrixSources", \.sensors.mountOrigins,
            text: { $0.map(\.rawValue).joined(separator: " ") }
        ) { (text) throws(SettingRefusal) in
            var origins: [MountOrigin] = []
            for word in text.split(separator: " ") {
                guard let origin = MountOrigin(rawValue: String(word)), !origins.contains(origin) else {
                    let known = MountOrigin.allCases.map(\.rawValue).joined(separator: " ")
                    throw SettingRefusal(
                        "'\(ConfigurationProblem.excerpt(word))' is none of them, or stands twice; "
                            + "write some of \(known), the first to be asked first")
                }
                origins.append(origin)
            }
            return origins
        },
    ]
}
