internal import Glibc

/// The service and its sockets, by the word of systemd.
enum UnitSurvey {
    /// The service, nil where systemd does not run, and the sockets by their names. `systemctl(1)`
    static func views() -> (UnitView?, [String: UnitView]) {
        guard unsafe access("/run/systemd/system", F_OK) == 0,
            let output = ProgramOutput.of(
                """
                systemctl show --property=Id,LoadState,ActiveState,Result,UnitFileState,ExecMainStatus,StatusText \
                sensorbrokerd.service sensorbrokerd.socket sensorbrokerd-admin.socket 2>/dev/null
                """), output.status == 0
        else { return (nil, [:]) }
        var units = parse(output.text)
        return (units.removeValue(forKey: "sensorbrokerd.service"), units)
    }

    /// Units of `KEY=value` lines, with an empty line between them.
    static func parse(_ text: String) -> [String: UnitView] {
        var units: [String: UnitView] = [:]
        for paragraph in text.split(separator: "\n\n") {
            var values: [Substring: String] = [:]
            for line in paragraph.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { values[parts[0]] = String(parts[1]) }
            }
            guard let id = values["Id"] else { continue }
            units[id] = UnitView(
                load: values["LoadState"] ?? "", active: values["ActiveState"] ?? "", result: values["Result"] ?? "",
                enabled: values["UnitFileState"] ?? "", exitStatus: values["ExecMainStatus"].flatMap { Int($0) } ?? 0,
                status: values["StatusText"] ?? "")
        }
        return units
    }
}
