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

    static func parse(_ status: Int32, _ text: String) -> ConfigurationView? {
        guard let checked = CheckedConfiguration(status, text) else { return nil }
        var view = ConfigurationView(error: checked.error, notes: checked.all("# note: "))
        view.gpsd = checked.all("Gpsd=").first ?? view.gpsd
        view.context = checked.all("Context=").first ?? view.context
        return view
    }
}

/// What a program prints on both streams if it is to check its configuration: the settings in force, or errors.
struct CheckedConfiguration {
    /// The first error.
    let error: String?
    private let lines: [Substring]

    /// Nil for anything else.
    init?(_ status: Int32, _ text: String) {
        let lines = text.split(separator: "\n")
        switch status {
        case 0: (error, self.lines) = (nil, lines)
        case 78: (error, self.lines) = (lines.first.map { String($0) } ?? "it cannot be used", [])
        default: return nil
        }
    }

    /// What follows a text in the lines that begin with it.
    func all(_ begin: String) -> [String] {
        lines.filter { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
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
