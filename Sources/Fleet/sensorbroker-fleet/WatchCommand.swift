internal import BrokerClient
internal import Fleet
internal import MQTT
internal import Platform
internal import Programs
internal import Readings
internal import Spool
internal import Varlink

/// `sensorctl fleet watch`: what hosts send, each reading once, with its time in UTC; on a terminal, unless something is chosen, a
/// table of hosts, since a fleet sends more lines than anybody can read.
struct WatchCommand {
    private let arguments: Arguments
    private let intake: FleetIntake
    private var account: FleetAccount
    private var clocks: [String: HostClocks] = [:]
    private var states: [String: HostState] = [:]
    private var left: Int
    private var table = HostTable()

    init(_ arguments: Arguments, _ settings: FleetSettings) {
        self.arguments = arguments
        left = arguments.count ?? .max
        intake = FleetIntake(prefix: settings.prefix, hosts: arguments.hosts)
        account = FleetAccount(from: .joining, resources: arguments.resources)
    }

    /// Whether nothing is chosen that could be read line by line.
    private var wantsTable: Bool {
        arguments.hosts == "*" && arguments.resources.isEmpty && arguments.count == nil && !arguments.isJSON
    }

    /// Runs until a signal, the end of the time, or enough readings; the exit status.
    consuming func run(_ link: ConsumerLink) throws(Failure) -> ExitStatus {
        let end = arguments.durationNanoseconds.map { Clock.bootNanoseconds().addingSaturating($0) } ?? .max
        if wantsTable, FleetScreen.isTerminal { return try show(link, until: end) }
        while link.stops == 0, left > 0, Clock.bootNanoseconds() < end {
            var lines: [String] = []
            for message in try link.turn(until: end) { lines += take(message) }
            if !lines.isEmpty { try Output.write(lines.map { $0 + "\n" }.joined()) }
        }
        link.close()
        guard arguments.count == nil || left == 0 else {
            throw Failure(.timedOut, "\(left) of the readings did not come in time")
        }
        return .done
    }

    /// Shows the table each second, and leaves it where the output goes on.
    private consuming func show(_ link: ConsumerLink, until end: Int64) throws(Failure) -> ExitStatus {
        do {
            let screen = try FleetScreen()
            var due: Int64 = 0
            while link.stops == 0, Clock.bootNanoseconds() < end {
                for message in try link.turn(until: min(end, due)) { tabulate(message, Clock.bootNanoseconds()) }
                let now = Clock.bootNanoseconds()
                guard now >= due else { continue }
                let notice =
                    link.isOnline ? [] : ["not connected to the server: what is shown is old; it is tried again"]
                try screen.show(picture(height: FleetScreen.height - notice.count) + notice)
                // A table of very many hosts may take its time, but not all of it.
                due = now + max(Nanoseconds.second, 10 * (Clock.bootNanoseconds() - now))
            }
        }
        link.close()
        try Output.write(picture(height: .max).map { $0 + "\n" }.joined())
        return .done
    }

    private mutating func picture(height: Int) -> [String] {
        let both = ClockPair.now()
        let now = Moment(bootNanoseconds: both.bootNanoseconds, utcMicroseconds: both.utcNanoseconds / 1_000)
        return table.lines(atMost: height, now, missing: account.findMissing())
    }

    /// Takes what came into the table.
    mutating func tabulate(_ message: ServerMessage, _ now: Int64) {
        intake.read(message.topic, message.payload, isRetained: message.isRetained) { host, item in
            takeClock(of: item, host)
            table.take(item, of: host, isNew: account.take(item, of: host), clocks[host], now)
        }
    }

    private mutating func takeClock(of item: FleetIntake.Item, _ host: String) {
        switch item {
        case .report(let report, _):
            if let clock = report.clock { clocks[host, default: HostClocks()].take(clock, of: report.epoch) }
        case .message(let message, _, _):
            if let clock = message.clock { clocks[host, default: HostClocks()].take(clock, of: message.epoch) }
        case .unreadable: break
        }
    }

    /// The lines of what came.
    mutating func take(_ message: ServerMessage) -> [String] {
        var lines: [String] = []
        intake.read(message.topic, message.payload, isRetained: message.isRetained) { take($1, of: $0, &lines) }
        return lines
    }

    private mutating func take(_ item: FleetIntake.Item, of host: String, _ lines: inout [String]) {
        let isNew = account.take(item, of: host)
        takeClock(of: item, host)
        switch item {
        case .report(let report, _):
            if states.updateValue(report.state, forKey: host) != report.state {
                lines.append(line(host, .state(report.state)))
            }
        case .message(let message, let resource, _):
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

    private func line(_ host: String, _ event: WatchText.Event) -> String {
        arguments.isJSON ? WatchText.object(host, event) : WatchText.line(host, event)
    }
}
