internal import Fleet

/// What a verification has, and what it does next; pure.
struct Verification {
    /// A request to a host.
    typealias Request = (topic: String, payload: [UInt8])

    /// What came.
    private(set) var account: FleetAccount

    private let prefix: String
    private let durationNanoseconds: Int64?
    private let resends: Bool
    private let intake: FleetIntake
    private var inquiry = Inquiry(delayNanoseconds: 1_000_000_000)
    private var phase: VerifyPhase?

    init(_ arguments: Arguments, prefix: String) {
        self.prefix = prefix
        durationNanoseconds = arguments.durationNanoseconds
        resends = arguments.resends ?? false
        intake = FleetIntake(prefix: prefix, hosts: arguments.hosts)
        account = FleetAccount(from: arguments.wantsAll ? .beginning : .joining, resources: arguments.resources)
    }

    /// When to be called again.
    var deadline: Int64 { phase?.deadline ?? .max }

    /// Whether it is over.
    var isDone: Bool { phase?.stage == .done }

    /// Takes a message.
    mutating func take(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        intake.read(topic, payload, isRetained: isRetained) { account.take($1, of: $0) }
    }

    /// There is a connection: it listens from now on.
    mutating func begin(_ now: Int64) {
        phase = VerifyPhase(now, listeningNanoseconds: durationNanoseconds, resends: resends)
    }

    /// Goes on; what hosts are to be asked for.
    mutating func turn(_ now: Int64, isStopped: Bool, isOnline: Bool) -> [Request] {
        guard var phase else { return [] }
        defer { self.phase = phase }
        if isStopped { phase.endListening(now) }
        guard now >= phase.deadline else { return [] }
        let missing = phase.stage == .settling ? account.missing : []
        let asks = resends && isOnline && phase.stage == .settling ? inquiry.asks(for: missing, now) : []
        let facts = VerifyPhase.Facts(
            hasSilent: !account.silent.isEmpty, hasHosts: !account.names.isEmpty,
            missing: missing.reduce(0) { $0.addingSaturated($1.count) }, isHopeless: inquiry.isHopeless(missing))
        if phase.advance(now, facts) {
            switch phase.stage {
            case .reporting where durationNanoseconds != nil: account.expectReports()
            case .settling: account.freeze()
            default: break
            }
        }
        return asks.map { ("\(prefix)/\($0.host)/resend", $0.payload) }
    }
}
