/// What the daemon's program says of its configuration.
enum ConfigurationSurvey {
    /// Nil where the program is not found, or cannot say. `sensorbrokerd --check-config`
    static func view(of name: ServiceName) -> ConfigurationView? {
        guard
            let output = ProgramOutput.of(
                "PATH=$PATH:/usr/sbin:/usr/local/sbin; exec timeout 5 sensorbrokerd --check-config \"$@\" 2>&1 </dev/null",
                name.instance.map { ["--instance", $0] } ?? [])
        else { return nil }
        return parse(output.status, output.text)
    }

    /// What it printed, on either stream: errors with 78, else settings in force.
    static func parse(_ status: Int32, _ text: String) -> ConfigurationView? {
        let lines = text.split(separator: "\n")
        switch status {
        case 0:
            func value(_ key: String) -> String? {
                lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
            }
            var view = ConfigurationView()
            view.gpsd = value("Gpsd=") ?? view.gpsd
            view.context = value("Context=") ?? view.context
            let mark = "# note: "
            view.notes = lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
            return view
        case 78: return ConfigurationView(error: lines.first.map { String($0) } ?? "it cannot be used")
        default: return nil
        }
    }
}
