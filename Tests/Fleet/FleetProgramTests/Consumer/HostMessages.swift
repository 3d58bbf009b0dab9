import Fleet
import MQTT

@testable import sensorbroker_fleet

/// Messages of a host of a fleet, as a server delivers them.
enum HostMessages {
    /// Epochs, the earliest first.
    static let epochs = (1...4).map { number in "0000000\(number)" + String(repeating: "0", count: 24) }

    /// A reading of light of each second of the host's clock, and what else a message has.
    static func light(
        _ number: Int, epoch: String = epochs[0], boot: Int64? = nil, isLate: Bool = false, host: String = "van",
        _ members: String = ""
    ) -> ServerMessage {
        let stamp = boot ?? Int64(number) * 1_000_000_000
        return message(
            isLate ? "light/late" : "light",
            #"{"epoch":"\#(epoch)","number":\#(number),"readings":[{"resource":"light","sequence":\#(number),"#
                + #""timestampNanoseconds":\#(stamp),"values":{"columns":{"value":[\#(number).5]}}}]\#(members)}"#,
            host: host)
    }

    /// Both clocks, in seconds.
    static func clock(_ boot: Int64, _ utc: Int64, bootID: String = epochs[3]) -> String {
        #","clock":{"bootId":"\#(bootID)","bootNanoseconds":\#(boot * 1_000_000_000),"utcMicroseconds":\#(utc * 1_000_000),"synchronized":true}"#
    }

    static func began(_ cause: String = "first") -> String { #","began":{"cause":"\#(cause)"}"# }

    static func status(
        _ state: String, _ streams: String = "{}", epoch: String = epochs[0], host: String = "van",
        isRetained: Bool = false, _ members: String = ""
    ) -> ServerMessage {
        message(
            "status", #"{"state":"\#(state)","epoch":"\#(epoch)","streams":\#(streams)\#(members)}"#, host: host,
            isRetained: isRetained)
    }

    static func message(
        _ topic: String, _ text: String, host: String = "van", isRetained: Bool = false
    ) -> ServerMessage {
        ServerMessage(topic: "fleet/\(host)/\(topic)", payload: Array(text.utf8), isRetained: isRetained)
    }
}
