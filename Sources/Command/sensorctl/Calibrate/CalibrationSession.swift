internal import BrokerClient
internal import Glibc
internal import Motion
internal import Platform
internal import Printable
internal import Programs
internal import Readings

/// A calibration as it goes on: the broker's readings for a guide, and the guide's words for the person.
struct CalibrationSession {
    private let broker: Broker
    private let resource: String
    private let terminal: Terminal
    private let nanoseconds: Int64
    private let isInPlace: Bool

    private static let everyNanoseconds: Int64 = 200_000_000

    /// The readings of a resource, for so long at most.
    init(_ broker: Broker, _ resource: String, _ terminal: Terminal, nanoseconds: Int64) {
        self.broker = broker
        self.resource = resource
        self.terminal = terminal
        self.nanoseconds = nanoseconds
        isInPlace = terminal.format == .text && isatty(terminal.notes) == 1
    }

    /// Reads until the guide has found what it looks for.
    func run(_ guide: any CalibrationGuide) throws(Failure) -> CalibrationFinding {
        var guide = guide
        var request = Request(resource: resource)
        request.intervalNanoseconds = guide.intervalNanoseconds
        var stream = try UpdateStream([request], broker)
        terminal.note("sensorctl: \(guide.invitation)")
        var (state, sequence): (Resource?, Int64) = (nil, -1)
        var shown = ""
        var next = Clock.bootNanoseconds()
        let end = BootClock.after(nanoseconds)
        defer { if isInPlace { terminal.noteInPlace("") } }
        while let (update, _) = try stream.next(until: end) {
            try take(update, &guide, &state, &sequence)
            if let finding = try guide.finding(isTimeUp: false) { return finding }
            let now = Clock.bootNanoseconds()
            if now >= next {
                next = now + Self.everyNanoseconds
                show(guide.progress, &shown)
            }
        }
        do throws(Failure) {
            if let finding = try guide.finding(isTimeUp: true) { return finding }
        } catch {
            // Nobody held the device wrong if it measured nothing.
            if let state, state.state == "active" { throw error }
        }
        let words = state.map { "is \($0.stateText)" } ?? "has said nothing"
        throw Failure(.timedOut, "\(resource.printable) \(words), and has not shown enough; see: sensorctl list")
    }

    private func take(
        _ update: Update, _ guide: inout any CalibrationGuide, _ state: inout Resource?, _ sequence: inout Int64
    ) throws(Failure) {
        state = update.resources.last { $0.name == resource } ?? state
        switch state?.state {
        case "unavailable": throw Failure(.unavailable, "\(resource.printable) is \(state?.stateText ?? "")")
        case "released":
            throw Failure(
                .unavailable,
                "\(resource.printable) was released by an administrator; to take it back: "
                    + "sudo sensorctl reacquire \(resource.printable)")
        default: break
        }
        for reading in update.readings {
            // A device that is opened counts from 0: what was seen before is of another one, or may be along other axes.
            guard reading.sequence > sequence else {
                let description = state?.description.map { ", \($0.printable)," } ?? ""
                throw Failure(
                    .unavailable,
                    "its device\(description) was opened anew, or has its name only now: "
                        + "calibrate \(resource.printable) again")
            }
            sequence = reading.sequence
            guard case .values(let columns) = reading.content, let values = columns.values(of: guide.kind) else {
                continue
            }
            for (value, stamp) in zip(values, columns.timestampsNanoseconds) {
                guide.take(
                    Vector3(x: value.vector.x, y: value.vector.y, z: value.vector.z), at: Double(stamp) / 1_000_000_000)
            }
        }
        if let reason = update.ended { throw .ended(reason) }
    }

    /// On a terminal the line is replaced; elsewhere there is one for each step.
    private func show(_ progress: CalibrationProgress, _ shown: inout String) {
        let line = isInPlace ? progress.line : progress.words
        guard line != shown, !line.isEmpty else { return }
        shown = line
        if isInPlace { terminal.noteInPlace(line) } else { terminal.note("sensorctl: \(progress.line)") }
    }
}
