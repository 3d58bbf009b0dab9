internal import Configuration

/// The output of `--check-config`: the settings in force with their origins, as a valid configuration file.
enum ConfigurationCheck {
    /// The settings in force.
    static func text(_ configured: Configured, _ arguments: Arguments) -> String {
        let settings = configured.settings.overridden(by: arguments)
        var lines = configured.files.isEmpty ? ["# There is no configuration file."] : []
        lines += configured.files.map { "# \($0)" }
        var section: String?
        for key in SettingKey.all {
            if key.section != section { lines += ["", "[\(key.section)]"] }
            section = key.section
            let text = key.text(settings)
            if text != key.text(configured.settings) {
                lines.append("# from the command line")
            } else if let origin = configured.origins[key.title] {
                lines.append("# \(origin.file):\(origin.line)")
            }
            if let remark = configured.remarks[key.title] { lines.append("# note: \(remark)") }
            lines.append(text.isEmpty ? "#\(key.name)=" : "\(key.name)=\(text)")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
