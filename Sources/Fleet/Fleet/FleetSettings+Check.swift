package import Configuration

/// Who reads the settings.
package enum FleetReader: Sendable {
    /// The bridge of a host, which sends something.
    case bridge
    /// A consumer, which only needs to know the server.
    case consumer
}

extension Configured<FleetSettings> {
    /// Parses the files in the order of reading; throws all errors of all files, after those of reading them.
    package init(
        _ files: [(path: String, bytes: [UInt8])], _ earlier: [ConfigurationProblem] = [], for reader: FleetReader
    ) throws(ConfigurationErrors) {
        try self.init(files, earlier)
        try checkWhole(for: reader)
    }

    /// What no single value shows to be wrong.
    private func checkWhole(for reader: FleetReader) throws(ConfigurationErrors) {
        let file = files.first ?? (reader == .bridge ? "sensorbroker-mqtt.conf" : "the command line")
        func fail(_ message: String) -> ConfigurationErrors {
            ConfigurationErrors(ConfigurationProblem(file: file, line: nil, message))
        }
        guard let server = settings.server else {
            let alternative = reader == .consumer ? ", or give --server mqtts://broker.example" : ""
            throw fail("there is no server: write Url=mqtts://broker.example under [Server]\(alternative)")
        }
        guard !settings.readings.isEmpty || reader == .consumer else {
            throw fail(
                "there is nothing to send: write location=1s under [Readings]; the names are those of sensorctl list")
        }
        guard settings.readings.count <= FleetSettings.mostReadings else {
            throw fail("there are more than \(FleetSettings.mostReadings) resources under [Readings]")
        }
        guard (settings.certificate == nil) == (settings.key == nil) else {
            throw fail("Certificate= and Key= belong together: write both under [Server], or neither")
        }
        guard server.isEncrypted || (settings.certificate == nil && settings.authority == nil) else {
            throw fail(
                "Certificate=, Key= and Authority= are for encrypted connections: write Url=mqtts://…, or leave them out"
            )
        }
        guard settings.allowsRemoteInterval || settings.minimumInterval == nil else {
            throw fail("MinInterval= is for RemoteInterval=yes: write both under [Control], or neither")
        }
        guard settings.ownTracks == nil || settings.readings.contains(where: { $0.resource == "location" }) else {
            throw fail("[OwnTracks] Topic= needs locations: write location=1s under [Readings]")
        }
        guard settings.passwordFile == nil || settings.user != nil else {
            throw fail("PasswordFile= is for a user: write User= too")
        }
    }
}
