internal import Programs

extension Command {
    static let reload = Self(
        name: "reload", summary: "Read the configuration again", audience: .administrator, formats: [],
        description: ["If the configuration has an error, the old one stays in force, and the error is shown."],
        examples: [("sudo sensorctl reload", "after a change of /etc/sensorbroker/sensorbrokerd.conf")]
    ) { _ in ReloadCommand() }
}

/// `sensorctl reload`: makes the broker read its configuration again.
struct ReloadCommand: Action, Equatable {
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        _ = try broker.admin().call(AdminInterface.reload)
    }
}
