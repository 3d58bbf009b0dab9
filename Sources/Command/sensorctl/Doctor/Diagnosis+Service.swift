internal import Printable

/// The service and its sockets, as systemd reports them.
extension Diagnosis {
    var service: [Finding] {
        guard let service = view.service else { return [unknown] }
        if let finding = absence(of: "\(view.name.unit).service", service, subject: "service") { return [finding] }
        return [state(of: service)] + view.listeners.sorted { $0.key < $1.key }.compactMap(listener)
    }

    /// The finding if systemd has not loaded a unit, so that it can be neither enabled nor started.
    private func absence(of name: String, _ unit: UnitView, subject: String) -> Finding? {
        switch unit.load {
        case "loaded": nil
        case "masked": Finding(subject, .bad, "is masked", remedy: "sudo systemctl unmask \(name)")
        case "not-found":
            Finding(
                subject, .bad, "is not installed",
                remedy: "install the package sensorbroker; after make install: sudo systemctl daemon-reload")
        default:
            Finding(
                subject, .bad, "cannot be loaded: \(unit.load.printable)",
                remedy: "systemd-analyze verify \(name) says why; then: sudo systemctl daemon-reload")
        }
    }

    /// The finding when systemd reports nothing about the service.
    private var unknown: Finding {
        guard case .silent(let words) = view.manager else {
            return Finding(
                "service", .note, "this host does not run systemd: nothing starts sensorbrokerd automatically")
        }
        return Finding(
            "service", .note, "systemd runs here, but cannot be queried: \(words.printable)",
            remedy: view.user.isRoot
                ? "check its state: systemctl status"
                : "start D-Bus: sudo systemctl start dbus; or run as root, without D-Bus: sudo sensorctl doctor")
    }

    private func state(of service: UnitView) -> Finding {
        switch service.active {
        case "active", "reloading":
            return Finding("service", .ok, service.status.isEmpty ? "runs" : "runs: \(service.status.printable)")
        case "inactive": return Finding("service", .ok, "waits for its first client")
        case "failed": return failure(of: service)
        // Between two attempts: systemd starts it again and again.
        case _ where service.result != "success": return failure(of: service)
        default: return Finding("service", .note, "is \(service.active.printable)", remedy: "ask again in a moment")
        }
    }

    private func failure(of service: UnitView) -> Finding {
        let again = "then: sudo systemctl restart \(view.name.unit)"
        switch (service.result, service.exitStatus) {
        case ("exit-code", 78):
            return Finding(
                "service", .bad, "stopped, because its configuration has errors",
                // Where none is seen here, the service's own user cannot read a file.
                remedy: "\(view.configuration?.error == nil ? view.name.log : view.name.check) names them; \(again)")
        case ("exit-code", 69):
            return Finding(
                "service", .bad, "stopped, because another broker or program uses what it needs",
                remedy: "\(view.name.log) names it; stop that program, \(again)")
        case ("exit-code", 77):
            return Finding(
                "service", .bad, "stopped, because it lacks a permission",
                remedy: "\(view.name.log) names it; "
                    + "sudo systemd-sysusers && sudo systemd-tmpfiles --create restores what it needs; \(again)")
        default:
            return Finding(
                "service", .bad, "failed: \(service.result.printable)",
                remedy: "\(view.name.log) shows why; \(again)")
        }
    }

    private func listener(_ name: String, _ unit: UnitView) -> Finding? {
        let start = "sudo systemctl enable --now \(name)"
        if let finding = absence(of: name, unit, subject: name) { return finding }
        switch (unit.active, unit.enabled) {
        case ("active", "enabled"), ("active", "enabled-runtime"): return nil
        case ("active", _):
            return Finding(name, .note, "listens, but will not after the next boot", remedy: start)
        case ("failed", _):
            return Finding(
                name, .bad, "failed: \(unit.result.printable)",
                remedy: "repair the service first; then: sudo systemctl reset-failed 'sensorbrokerd*'; \(start)")
        default: return Finding(name, .bad, "does not listen", remedy: start)
        }
    }
}
