/// Runs the daemon's program to check its configuration.
enum ConfigurationSurvey {
    /// Nil if the program is not found or fails. `sensorbrokerd --check-config`
    static func view(of name: ServiceName) -> ConfigurationView? {
        guard
            let output = ProgramOutput.of(
                "exec timeout 5 sensorbrokerd --check-config \"$@\" 2>&1 </dev/null",
                name.instance.map { ["--instance", $0] } ?? [])
        else { return nil }
        return parse(output.status, output.text)
    }

    /// Reads what it printed on both streams: errors with status 78, otherwise the settings in force.
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

/// The output of `sensorbrokerd --check-config`, as far as it matters here.
struct ConfigurationView: Equatable {
    /// The first error, `FILE:LINE: message`.
    var error: String?
    /// Settings that are valid but do not have their intended effect.
    var notes: [String] = []
    /// The address of gpsd.
    var gpsd = "localhost:2947"
    /// Which IIO context is used.
    var context = "local:"
}
