internal import BrokerClient
internal import Fleet
internal import MQTT
internal import Platform
internal import Varlink

/// `sensorctl fleet watch`: what hosts send, each reading once, with its time in UTC.
struct WatchCommand {
    private let arguments: Arguments
    private let intake: FleetIntake
    private var account: FleetAccount
    private var clocks: [String: HostClocks] = [:]
    private var states: [String: HostState] = [:]
    private var left: Int

    private static let second: Int64 = 1_000_000_000

    init(_ arguments: Arguments, _ settings: FleetSettings) {
        self.arguments = arguments
        left = arguments.count ?? .max
        intake = FleetIntake(prefix: settings.prefix, hosts: arguments.hosts)
        account = FleetAccount(from: .joining, resources: arguments.resources)
    }

    /// Runs until a signal, the end of the time, or enough readings; the exit status.
    consuming func run(_ link: ServerLink) throws(StartFailure) -> Int32 {
        let end =
            arguments.durationNanoseconds.map { Clock.bootNanoseconds().addingReportingOverflow($0) }
            .map { $0.overflow ? .max : $0.partialValue } ?? .max
        while link.stops == 0, left > 0, Clock.bootNanoseconds() < end {
            var lines: [String] = []
            for message in try link.turn(until: end) { lines += take(message) }
            if !lines.isEmpty { try Output.write(lines.map { $0 + "\n" }.joined()) }
        }
        link.close()
        guard arguments.count == nil || left == 0 else {
            throw StartFailure(75, "\(left) of the readings did not come in time")
        }
        return 0
    }

    /// The lines of what came.
    mutating func take(_ message: ServerLink.Message) -> [String] {
        var lines: [String] = []
        intake.read(message.topic, message.payload, isRetained: message.isRetained) { take($1, of: $0, &lines) }
        return lines
    }

    private mutating func take(_ item: FleetIntake.Item, of host: String, _ lines: inout [String]) {
        let isNew = account.take(item, of: host)
        switch item {
        case .report(let report, _):
            if let clock = report.clock { clocks[host, default: HostClocks()].take(clock, of: report.epoch) }
            if states.updateValue(report.state, forKey: host) != report.state {
                lines.append(line(host, .state(report.state)))
            }
        case .message(let message, let resource, _):
            if let clock = message.clock { clocks[host, default: HostClocks()].take(clock, of: message.epoch) }
            guard isNew else { return }
            for gap in message.objects("gaps") { lines.append(line(host, .gap(resource, gap))) }
            if let lost = message.lost { lines.append(line(host, .lost(resource, lost))) }
            for object in message.objects("readings") where left > 0 {
                guard let reading = try? Reading(Parameters(object)).prefix(left) else {
                    lines.append(line(host, .unreadable))
                    continue
                }
                left -= max(1, reading.sampleCount)
                let known = clocks[host]
                lines += WatchText.rows(host, reading, isJSON: arguments.isJSON) {
                    known?.utcMicroseconds(of: $0, in: message.epoch)
                }
            }
        case .unreadable: lines.append(line(host, .unreadable))
        }
    }

    private func line(_ host: String, _ news: WatchText.News) -> String {
        arguments.isJSON ? WatchText.object(host, news) : WatchText.line(host, news)
    }
}
