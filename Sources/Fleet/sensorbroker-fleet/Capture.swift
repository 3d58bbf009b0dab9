internal import Fleet
internal import MQTT
internal import Programs
internal import Spool

/// What `mosquitto_sub -F '%r %t %x'` wrote: whether the server had kept a message, its topic, and its payload in hexadecimal.
enum Capture {
    private static let longestLine = 2 * Payload.longestLine + 1_024

    /// Verifies a capture; the exit status.
    static func verify(_ path: String, _ arguments: Arguments) throws -> ExitStatus {
        let prefix = arguments.settings.last { $0.key == "Prefix" }?.value ?? FleetSettings().prefix
        let intake = FleetIntake(prefix: prefix, hosts: arguments.hosts)
        var account = FleetAccount(from: arguments.wantsAll ? .beginning : .joining, resources: arguments.resources)
        var number = 0
        var file = try InputLines(path)
        while let line = try file.next(atMost: longestLine) {
            number += 1
            guard let message = message(line) else {
                throw Failure(
                    .data, "\(path):\(number): this is not a line that mosquitto_sub -F '%r %t %x' writes")
            }
            intake.read(message.topic, message.payload, isRetained: message.isRetained) { account.take($1, of: $0) }
        }
        return try VerifyCommand.finish(account, arguments)
    }

    /// The message of a line, whose topic may have spaces; nil if it is none.
    static func message(_ line: [UInt8]) -> ServerMessage? {
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last, first == 1,
            let topic = String(validating: line[first + 1..<last], as: UTF8.self), [0x30, 0x31].contains(line[0])
        else { return nil }
        guard let payload = [UInt8](hexadecimal: line[(last + 1)...]) else { return nil }
        return ServerMessage(topic: topic, payload: payload, isRetained: line[0] == 0x31)
    }
}
