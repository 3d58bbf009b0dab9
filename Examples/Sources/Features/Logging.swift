import SensorBroker

/// What happens to the connection goes to the program's log.
///
/// The loop is the same with the `Logger` of swift-log, of which the one here is a double.
enum Logging {
    struct Logger {
        struct Message: ExpressibleByStringInterpolation {
            let text: String

            init(stringLiteral text: String) { self.text = text }
        }

        func notice(_ message: @autoclosure () -> Message) { print("notice sensors: \(message().text)") }
    }

    static func run() async throws {
        let logger = Logger()
        var lines = 0
        for await event in Broker.shared.lifecycle {
            logger.notice("\(event)")
            lines += 1
            if case .resource = event { break }
        }
        try hold("each event is a line of the log, and the state of a resource is one", lines >= 1)
    }
}
