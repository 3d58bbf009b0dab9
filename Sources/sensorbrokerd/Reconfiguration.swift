internal import Configuration
internal import Platform
internal import Readings
internal import Service

/// Reads the configuration again while the daemon serves, and applies all of it or nothing.
///
/// What can fail comes first, and changes nothing: reading, checking, locks of hardware that is new. That may also block, on a
/// name server, the host's lists of groups or another broker's answer, so it is done on a thread of its own while the loop
/// serves. What is left cannot fail and does not block: devices that moved are driven anew and say so in the streams,
/// everything else changes in place.
final class Reconfiguration {
    /// Told when the configuration is in force, or why it is not.
    typealias Answer = (ConfigurationErrors?, BootTime) -> Void

    private let arguments: Arguments
    private let plan: DevicePlan
    private let server: Server
    private let broker: Broker
    private let journal: Journal
    private let health: Health
    private var settings: Settings
    private let outcome: Outcome
    /// Whom to tell of the reload under way; nil: there is none.
    private var current: [Answer]?
    /// Whom to tell of the next one, because they asked after this one had begun to read.
    private var next: [Answer] = []

    /// Begins with what the daemon was started with, and applies it.
    init(
        _ settings: Settings, _ arguments: Arguments, _ plan: DevicePlan, _ server: Server, _ broker: Broker,
        _ journal: Journal, _ health: Health, now: BootTime
    ) throws(SystemError) {
        self.settings = settings
        self.arguments = arguments
        self.plan = plan
        self.server = server
        self.broker = broker
        self.journal = journal
        self.health = health
        outcome = try Outcome()
        apply(now)
        try server.watch(outcome.wakeDescriptor) { [unowned self] now in finish(now) }
    }

    /// Reads and applies the files, and answers when that is done; an error leaves everything as it is, and is in the
    /// journal too.
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
                outcome.give(Preparation.attempt(arguments, claims))
            }
        } catch {
            let problem = ConfigurationProblem(file: "the configuration", line: nil, "cannot be read again: \(error)")
            outcome.give(.failure(ConfigurationErrors(problem)))
        }
    }

    private func finish(_ now: BootTime) {
        guard let result = outcome.take(), let answers = current else { return }
        current = nil
        var errors: ConfigurationErrors?
        switch result {
        case .success(let preparation): adopt(preparation, now)
        case .failure(let error):
            errors = error
            for problem in error.all { journal.write(.error, problem.description) }
            journal.write(.error, "the configuration stays as it was", .configurationRefused, Self.fields(error.first))
        }
        health.didReload(now: now)
        for answer in answers { answer(errors, now) }
        begin()
    }

    private func adopt(_ preparation: Preparation, _ now: BootTime) {
        var changes = SettingKey.changes(from: settings, to: preparation.settings)
        if changes.isEmpty, settings.access != preparation.settings.access {
            changes.append("the host's groups are others")
        }
        settings = preparation.settings
        plan.move(to: preparation.hardware, broker)
        apply(now)
        preparation.remarks.tell(in: journal)
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
        server.quotas.adopt(connections: settings.connections, subscriptions: settings.subscriptions)
        server.stuckNanoseconds = settings.stuckTimeout.nanoseconds
    }
}

/// Everything about a new configuration that may block or fail.
private struct Preparation: Sendable {
    let settings: Settings
    let remarks: Configured.Remarks
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

/// Takes a result from the thread that prepares to the loop's.
private final class Outcome: Sendable {
    private let result = Locked<Result<Preparation, ConfigurationErrors>?>(nil)
    private let bell: WakeEvent

    init() throws(SystemError) { bell = try WakeEvent() }

    /// Readable when there is a result.
    var wakeDescriptor: Int32 { bell.descriptor }

    func give(_ new: Result<Preparation, ConfigurationErrors>) {
        result.withLock { $0 = new }
        bell.ring()
    }

    func take() -> Result<Preparation, ConfigurationErrors>? {
        bell.clear()
        return result.withLock { result in
            defer { result = nil }
            return result
        }
    }
}
