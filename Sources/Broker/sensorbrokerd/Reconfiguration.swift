internal import Configuration
internal import Platform
internal import Programs
internal import Readings
internal import Service

/// Reads the configuration again while the daemon serves, and applies all of it or nothing.
///
/// Everything that can fail comes first and changes nothing: reading, checking, taking locks of new hardware. It may
/// also block on a name server, the host's group database or another broker, so it runs on a thread of its own. The
/// rest cannot fail and does not block: devices that moved get new drivers and report that in their streams; everything else
/// changes in place.
final class Reconfiguration {
    /// Called when the configuration is in force, or with the errors.
    typealias Answer = (ConfigurationErrors?, BootTime) -> Void

    private let arguments: Arguments
    private let plan: DevicePlan
    private let server: Server
    private let broker: Broker
    private let journal: Journal
    private let health: Health
    private var settings: Settings
    /// Passes what was prepared from its thread to the loop.
    private let outcome: WakeQueue<Result<Preparation, ConfigurationErrors>>
    /// Callers waiting for the present reload; nil: there is none.
    private var current: [Answer]?
    /// Callers waiting for the next reload, because they asked after the present one had started to read.
    private var next: [Answer] = []

    /// Starts with the daemon's first configuration, and applies it.
    init(
        _ settings: Settings, _ arguments: Arguments, _ plan: DevicePlan, of broker: Broker, on server: Server,
        journal: Journal, health: Health, now: BootTime
    ) throws(SystemError) {
        self.settings = settings
        self.arguments = arguments
        self.plan = plan
        self.server = server
        self.broker = broker
        self.journal = journal
        self.health = health
        outcome = try WakeQueue()
        apply(now)
        try server.watch(outcome.wakeDescriptor) { [unowned self] now in finish(now) }
    }

    /// Reads and applies the files, then answers.
    ///
    /// An error changes nothing and is logged too.
    func reload(_ answer: @escaping Answer = { _, _ in }) {
        next.append(answer)
        begin()
    }

    private func begin() {
        guard current == nil, !next.isEmpty else { return }
        current = next
        next = []
        health.willReload()
        do throws(SystemError) {
            try Thread.start(name: "reload") { [arguments, outcome, claims = plan.claims] in
                outcome.put(Preparation.attempt(arguments, claims))
            }
        } catch {
            let problem = ConfigurationProblem(file: "the configuration", line: nil, "cannot be read again: \(error)")
            outcome.put(.failure(ConfigurationErrors(problem)))
        }
    }

    private func finish(_ now: BootTime) {
        guard let result = outcome.take().last, let answers = current else { return }
        current = nil
        var errors: ConfigurationErrors?
        switch result {
        case .success(let preparation): adopt(preparation, now)
        case .failure(let error):
            errors = error
            for problem in error.all { journal.write(.error, problem.description) }
            journal.write(.error, "the configuration is unchanged", .configurationRefused, Self.fields(error.first))
        }
        health.didReload(now: now)
        for answer in answers { answer(errors, now) }
        begin()
    }

    private func adopt(_ preparation: Preparation, _ now: BootTime) {
        var changes = Settings.table.changes(from: settings, to: preparation.settings)
        if changes.isEmpty, settings.access != preparation.settings.access {
            changes.append("the host's groups have changed")
        }
        settings = preparation.settings
        plan.move(to: preparation.hardware, broker)
        apply(now)
        for remark in preparation.remarks { journal.write(.warning, remark) }
        let words = changes.isEmpty ? "nothing changes" : changes.joined(separator: ", ")
        journal.write(.notice, "the configuration was read again: \(words)", .configurationApplied)
    }

    private static func fields(_ problem: ConfigurationProblem) -> [JournalField: String] {
        var fields: [JournalField: String] = [.file: problem.file, .reason: problem.message]
        fields[.line] = problem.line.map { "\($0)" }
        return fields
    }

    private func apply(_ now: BootTime) {
        for (kind, policy) in settings.policies { broker.configure(kind, policy, now: now) }
        broker.configure(settings.access, now: now)
        broker.configure(settings.feedPolicy, now: now)
        server.clients.quotas.adopt(connections: settings.connections, subscriptions: settings.subscriptions)
        server.clients.setPatience(nanoseconds: settings.stuckTimeout.nanoseconds, now: now)
    }
}

/// The part of a reload that may block or fail.
private struct Preparation: Sendable {
    let settings: Settings
    let remarks: [String]
    let hardware: HardwareClaims.Next

    static func attempt(_ arguments: Arguments, _ claims: HardwareClaims?) -> Result<Self, ConfigurationErrors> {
        Result { () throws(ConfigurationErrors) in
            let configured = try ConfigurationFiles(arguments).read()
            let settings = configured.settings.overridden(by: arguments)
            let hardware = try claims?.prepare(settings, configured) ?? HardwareClaims.Next()
            return Self(settings: settings, remarks: configured.remarksForHost, hardware: hardware)
        }
    }
}
