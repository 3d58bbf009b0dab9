internal import Configuration
internal import Platform
internal import Readings
internal import Service

/// Reads the configuration again while the daemon serves, and applies all of it or nothing.
///
/// What can fail comes first, and changes nothing: reading, checking, locks of hardware that is new. What is left cannot fail:
/// devices that moved are driven anew and say so in the streams, everything else changes in place.
final class Reconfiguration {
    private let arguments: Arguments
    private let plan: DevicePlan
    private let server: Server
    private let broker: Broker
    private let journal: Journal
    private let health: Health
    private var settings: Settings

    /// Begins with what the daemon was started with, and applies it.
    init(
        _ settings: Settings, _ arguments: Arguments, _ plan: DevicePlan, _ server: Server, _ broker: Broker,
        _ journal: Journal, _ health: Health, now: BootTime
    ) {
        self.settings = settings
        self.arguments = arguments
        self.plan = plan
        self.server = server
        self.broker = broker
        self.journal = journal
        self.health = health
        apply(now)
    }

    /// Reads and applies the files; an error leaves everything as it is, and is in the journal too.
    func reload(now: BootTime) throws(ConfigurationErrors) {
        health.willReload()
        defer { health.didReload(now: now) }
        do throws(ConfigurationErrors) {
            let configured = try ConfigurationFiles(arguments).read()
            try change(to: configured, now)
        } catch {
            for problem in error.all { journal.write(.error, problem.description) }
            journal.write(.error, "the configuration stays as it was", .configurationRefused, Self.fields(error.first))
            throw error
        }
    }

    private func change(to configured: Configured, _ now: BootTime) throws(ConfigurationErrors) {
        let wanted = configured.settings.overridden(by: arguments)
        let gpsd = try own("[Location] Gpsd=", configured) { () throws(StartFailure) in try plan.prepareGpsd(wanted) }
        let accelerometers = try own("[Accelerometer] Context=", configured) { () throws(StartFailure) in
            try plan.prepareAccelerometers(wanted)
        }
        var changes = SettingKey.changes(from: settings, to: wanted)
        if changes.isEmpty, settings.access != wanted.access { changes.append("the host's groups are others") }
        settings = wanted
        plan.move(gpsd: gpsd, accelerometers: accelerometers, broker)
        apply(now)
        configured.tellRemarks(in: journal)
        let words = changes.isEmpty ? "nothing changes" : changes.joined(separator: ", ")
        journal.write(.notice, "the configuration was read again: \(words)", .configurationApplied)
    }

    private static func fields(_ problem: ConfigurationProblem) -> [JournalField: String] {
        var fields: [JournalField: String] = [.file: problem.file, .reason: problem.message]
        fields[.line] = problem.line.map { "\($0)" }
        return fields
    }

    private func apply(_ now: BootTime) {
        broker.configure(.location, settings.location.policy, now: now)
        broker.configure(.acceleration, settings.acceleration.policy, now: now)
        broker.configure(settings.access, now: now)
        server.quotas.adopt(connections: settings.connections, subscriptions: settings.subscriptions)
        server.stuckNanoseconds = settings.stuckTimeout.nanoseconds
    }

    /// A refusal of hardware is an error of the line that names it.
    private func own<Holding>(
        _ title: String, _ configured: Configured, _ prepare: () throws(StartFailure) -> Holding?
    ) throws(ConfigurationErrors) -> Holding? {
        do throws(StartFailure) { return try prepare() } catch {
            let origin = configured.origins[title]
            throw ConfigurationErrors(
                ConfigurationProblem(
                    file: origin?.file ?? configured.files.last ?? "the defaults", line: origin?.line,
                    "\(title) cannot be had: \(error)"))
        }
    }
}
