internal import Fleet
internal import Platform
internal import Readings

/// What a verification has, and what it does next; pure.
struct Verification {
    private(set) var account: FleetAccount

    private let durationNanoseconds: Int64?
    private let resends: Bool
    private let intake: FleetIntake
    private var inquiry = Inquiry(delayNanoseconds: Self.patienceNanoseconds)
    private var phase: VerifyPhase?
    private var askDue: Int64 = 0
    /// Hosts that did not answer to any request.
    private(set) var unanswering: Set<String> = []

    /// What is left from before comes by itself, so that it is not asked for at once.
    private static let patienceNanoseconds = 60 * Nanoseconds.second
    private static let mostTries = 5

    init(_ arguments: Arguments, prefix: String) {
        durationNanoseconds = arguments.durationNanoseconds
        resends = arguments.resends ?? false
        intake = FleetIntake(prefix: prefix, hosts: arguments.hosts)
        account = FleetAccount(from: arguments.wantsAll ? .beginning : .joining, resources: arguments.resources)
    }

    /// When to be called again.
    var deadline: Int64 {
        guard let phase else { return .max }
        return resends && phase.stage == .listening ? min(phase.deadline, askDue) : phase.deadline
    }

    var isDone: Bool { phase?.stage == .done }

    mutating func take(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        intake.read(topic, payload, isRetained: isRetained) { account.take($1, of: $0) }
    }

    /// There is a connection: it listens from now on.
    mutating func begin(_ now: Int64) {
        phase = VerifyPhase(now, listeningNanoseconds: durationNanoseconds, resends: resends)
    }

    /// Goes on; what hosts are to be asked for.
    mutating func turn(_ now: Int64, isStopped: Bool, isOnline: Bool) -> [Inquiry.Ask] {
        guard var phase else { return [] }
        defer { self.phase = phase }
        if isStopped { phase.endListening(now) }
        guard now >= phase.deadline else { return listen(phase, now, isOnline: isOnline) }
        let missing = phase.stage == .settling ? account.findMissing() : []
        let asks = resends && isOnline && phase.stage == .settling ? inquiry.asks(for: missing, now) : []
        unanswering = inquiry.unanswering(missing)
        let isNext = phase.advance(
            now, hasSilent: !account.silent.isEmpty, hasHosts: !account.names.isEmpty,
            missing: missing.reduce(0) { $0.addingSaturating($1.count) }, isHopeless: inquiry.isHopeless(missing),
            lacksEnds: account.lacksEnds)
        if isNext {
            switch phase.stage {
            case .reporting where durationNanoseconds != nil: account.expectReports()
            case .settling:
                account.freeze()
                inquiry = Inquiry(delayNanoseconds: Nanoseconds.second, mostTries: Self.mostTries)
            default: break
            }
        }
        return asks
    }

    /// Who listens for long asks meanwhile: hosts do not keep everything until the end.
    private mutating func listen(_ phase: VerifyPhase, _ now: Int64, isOnline: Bool) -> [Inquiry.Ask] {
        guard resends, phase.stage == .listening, now >= askDue else { return [] }
        askDue = now + Nanoseconds.second
        return isOnline ? inquiry.asks(for: account.findMissing(), now) : []
    }
}
