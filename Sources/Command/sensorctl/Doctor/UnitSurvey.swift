internal import Glibc

/// Asks systemd for the service and its sockets.
enum UnitSurvey {
    /// Whether systemd answers, the service, and the sockets by their names.
    ///
    /// For users other than root, `systemctl` needs D-Bus, which does not run on every host with systemd.
    static func views(of name: ServiceName) -> (ManagerView, UnitView?, [String: UnitView]) {
        guard isSystemdRunning else { return (.absent, nil, [:]) }
        return views(of: shown([name.unit + ".service"] + name.sockets), name)
    }

    /// A unit that is installed; nil: it is not, or systemd does not report it.
    static func view(of name: String) -> UnitView? {
        shown([name]).flatMap { parse($0.text)[name] }.flatMap { $0.load == "loaded" ? $0 : nil }
    }

    /// Whether one of the units may not be started, by its administrator's word.
    static func isMasked(_ names: [String]) -> Bool {
        isSystemdRunning && shown(names).map { parse($0.text).values.contains { $0.load == "masked" } } == true
    }

    /// What systemd reports of units, on both streams. `systemctl(1)`
    private static func shown(_ names: [String]) -> (status: Int32, text: String)? {
        ProgramOutput.of(
            """
            timeout 5 systemctl show \
            --property=Id,LoadState,ActiveState,Result,UnitFileState,ExecMainStatus,StatusText "$@" 2>&1
            """, names)
    }

    /// Whether systemd is this host's init. `sd_booted(3)`
    static var isSystemdRunning: Bool { unsafe access("/run/systemd/system", F_OK) == 0 }

    /// Reads what `systemctl` printed on both streams: units, or an error.
    static func views(
        of output: (status: Int32, text: String)?, _ name: ServiceName = ServiceName(instance: nil)
    ) -> (ManagerView, UnitView?, [String: UnitView]) {
        guard let output else { return (.silent("systemctl cannot be run"), nil, [:]) }
        guard output.status != 124 else { return (.silent("systemctl does not answer"), nil, [:]) }
        var units = parse(output.text)
        guard output.status == 0, let service = units.removeValue(forKey: name.unit + ".service") else {
            return (.silent(output.text.split(separator: "\n").first.map { String($0) } ?? "no output"), nil, [:])
        }
        return (.answers, service, units)
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

/// A unit, in systemd's own words.
struct UnitView: Equatable {
    var load = "loaded"
    var active = "active"
    var result = "success"
    var enabled = "enabled"
    /// The exit status of its last process.
    var exitStatus = 0
    var status = ""
}

/// Whether systemd runs on the host and answers questions about its units.
enum ManagerView: Equatable {
    case answers
    case absent
    /// systemd runs but does not answer; the reason, in the words of `systemctl`.
    case silent(String)
}
