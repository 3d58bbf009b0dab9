/// What the parts of one broker's service are called: those of `sensorbrokerd`, or of a named instance of it.
struct ServiceName: Equatable {
    /// The name of the instance; nil for the first broker.
    let instance: String?

    /// The service unit, without its suffix.
    var unit: String { instance.map { "sensorbrokerd@\($0)" } ?? "sensorbrokerd" }
    /// The socket units: for clients, and for the administrator.
    var sockets: [String] {
        let suffix = instance.map { "@\($0)" } ?? ""
        return ["sensorbrokerd\(suffix).socket", "sensorbrokerd-admin\(suffix).socket"]
    }
    /// The configuration file.
    var configuration: String { "/etc/sensorbroker/sensorbrokerd\(instance.map { ".\($0)" } ?? "").conf" }
    /// The command that checks the configuration.
    var check: String { "sensorbrokerd\(instance.map { " --instance \($0)" } ?? "") --check-config" }
    /// The command that shows the log.
    var log: String { "journalctl -u \(unit)" }
}
