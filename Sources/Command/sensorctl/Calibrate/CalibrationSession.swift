internal import BrokerClient
internal import Glibc
internal import Motion
internal import Platform
internal import Printable
internal import Programs
internal import Readings
internal import Varlink

/// A calibration as it goes on: the broker's readings for a guide, and the guide's words for the person.
struct CalibrationSession {
    private let broker: Broker
    private let resource: String
    private let terminal: Terminal
    private let nanoseconds: Int64
    private let isInPlace: Bool

    private static let everyNanoseconds: Int64 = 200_000_000

    /// The readings of a resource, for so long at most.
    init(_ broker: Broker, _ resource: String, _ terminal: Terminal, _ format: OutputFormat, nanoseconds: Int64) {
        self.broker = broker
        self.resource = resource
        self.terminal = terminal
        self.nanoseconds = nanoseconds
        isInPlace = format == .text && isatty(terminal.notes) == 1
    }

    /// Reads until the guide has found what it looks for.
    func run(_ guide: any CalibrationGuide) throws(Failure) -> CalibrationFinding {
        try check(guide)
        var guide = guide
        var request = Request(resource: resource)
        request.intervalNanoseconds = guide.intervalNanoseconds
        var connection = try broker.connect()
        try connection.ask(Call(Interface.subscribe, parameters: ["requests": [request.json]], mode: .more))
        terminal.note("sensorctl: \(guide.invitation)")
        var shown = ""
        var next = Clock.bootNanoseconds()
        let end = BootClock.after(nanoseconds)
        defer { if isInPlace { terminal.noteInPlace("") } }
        while let reply = try connection.answer(until: end) {
            try take(reply, &guide)
            if let finding = try guide.finding(isTimeUp: false) { return finding }
            let now = Clock.bootNanoseconds()
            if now >= next {
                next = now + Self.everyNanoseconds
                show(guide.progress, &shown)
            }
        }
        guard let finding = try guide.finding(isTimeUp: true) else {
            throw Failure(.timedOut, "\(resource.printable) has not shown enough in that time")
        }
        return finding
    }

    private func check(_ guide: any CalibrationGuide) throws(Failure) {
        guard let known = try broker.resources().first(where: { $0.name == resource }) else { return }
        guard known.kind == guide.kind.wire else {
            throw Failure(
                .usage, "\(resource.printable) is no \(guide.kind.row.resource): it measures \(known.kind.printable)")
        }
    }

    private func take(_ reply: Reply, _ guide: inout any CalibrationGuide) throws(Failure) {
        let parameters: Parameters
        switch reply {
        case .success(let members, _): parameters = members
        case .failure(let error): throw broker.failure(for: error)
        }
        let update = try understand { () throws(VarlinkError) in try Update(parameters) }
        if let state = update.resources.last(where: { $0.name == resource }), state.state == "unavailable" {
            let reason = state.reason.map { ": \($0.printable)" } ?? ""
            throw Failure(.unavailable, "\(resource.printable) is unavailable\(reason)")
        }
        for reading in update.readings {
            guard case .values(let columns) = reading.content, let values = columns.values(of: guide.kind) else {
                continue
            }
            for (value, stamp) in zip(values, columns.timestampsNanoseconds) {
                guide.take(
                    Vector3(x: value.vector.x, y: value.vector.y, z: value.vector.z), at: Double(stamp) / 1_000_000_000)
            }
        }
        if let reason = update.ended { throw WatchCommand.ended(reason) }
    }

    /// On a terminal the line is replaced; elsewhere there is one for each step.
    private func show(_ progress: CalibrationProgress, _ shown: inout String) {
        let line = isInPlace ? progress.line : progress.words
        guard line != shown, !line.isEmpty else { return }
        shown = line
        if isInPlace { terminal.noteInPlace(line) } else { terminal.note("sensorctl: \(progress.line)") }
    }
}
