/// The options of `sensorctl fleet`.
///
/// Two programs share them: sensorctl completes and describes them, and hands them to `sensorbroker-fleet`, which it does not link,
/// since that needs MQTT.
package enum FleetOption {
    /// All of them, in the order of the help.
    package static let all = [
        server, host, resource, resend, noResend, fromStart, duration, hold, count, capture, configuration, prefix,
        user, passwordFile, authority, certificate, key, version,
    ]

    package static let server = Option(
        "server", takes: .init("URL"), "`mqtts://HOST[:PORT]`, or `mqtt://` without encryption")
    package static let host = Option("host", takes: .init("PATTERN"), "Only these hosts, such as `'truck-*'`")
    package static let resource = Option(
        "resource", takes: .init("NAME[,NAME]", .resources), "Only these resources")
    package static let resend = Option("resend", "Ask the hosts for what is missing, and wait for it (verify)")
    package static let noResend = Option("no-resend", "Do not ask the hosts for what is missing (record)")
    package static let fromStart = Option("all", "Expect also what was sent before, from number 1 on (verify)")
    package static let duration = Option("for", takes: .time, "Listen for this time, such as `10min`")
    package static let hold = Option(
        "hold", takes: .time, "How long messages wait for those before them (record; 1min)")
    package static let count = Option("count", takes: .init("N"), "End after this many readings (watch)")
    package static let capture = Option(
        "from", takes: .file, "Verify what `mosquitto_sub -F '%r %t %x'` wrote")
    package static let configuration = Option(
        "config", takes: .file, "The configuration file, instead of the usual ones")
    package static let prefix = Option("prefix", takes: .init("TOPIC"), "The first part of all topics (fleet)")
    package static let user = Option("user", takes: .init("NAME"), "The user's name at the server")
    package static let passwordFile = Option(
        "password-file", takes: .file, "A file whose first line is the password")
    package static let authority = Option(
        "authority", takes: .file, "The certificates of those who may sign the server's")
    package static let certificate = Option("certificate", takes: .file, "The client's certificate")
    package static let key = Option("key", takes: .file, "Its key")
    package static let version = Option("protocol", takes: .init(oneOf: ["5", "3.1.1"]), "The version of MQTT")
}
