internal import Fleet
internal import MQTT
internal import Platform

/// `sensorctl fleet verify`: listens, and proves that everything came, or names what is missing.
struct VerifyCommand {
    private let arguments: Arguments
    private let prefix: String
    private let intake: FleetIntake
    private var account: FleetAccount
    private var inquiry = Inquiry(delayNanoseconds: 1_000_000_000)

    init(_ arguments: Arguments, _ settings: FleetSettings) {
        self.arguments = arguments
        prefix = settings.prefix
        intake = FleetIntake(prefix: settings.prefix, hosts: arguments.hosts)
        account = FleetAccount(from: arguments.wantsAll ? .beginning : .joining, resources: arguments.resources)
    }

    /// Runs it; the exit status.
    consuming func run(_ link: ServerLink) throws(StartFailure) -> Int32 {
        while !link.isOnline, link.stops == 0 { take(try link.turn(until: .max)) }
        let resends = arguments.resends ?? false
        var phase = VerifyPhase(
            Clock.bootNanoseconds(), listeningNanoseconds: arguments.durationNanoseconds, resends: resends)
        // The first signal ends the listening, the second the program.
        while phase.stage != .done, link.stops < 2 {
            take(try link.turn(until: phase.deadline))
            let now = Clock.bootNanoseconds()
            if link.stops > 0 { phase.endListening(now) }
            guard now >= phase.deadline else { continue }
            let missing = phase.stage == .settling ? account.missing : []
            if resends, phase.stage == .settling { ask(missing, link, now) }
            let facts = VerifyPhase.Facts(
                hasSilent: !account.silent.isEmpty, hasHosts: !account.names.isEmpty,
                missing: missing.reduce(0) { $0.addingSaturated($1.count) }, isHopeless: inquiry.isHopeless(missing))
            guard phase.advance(now, facts) else { continue }
            switch phase.stage {
            case .reporting where arguments.durationNanoseconds != nil: account.expectReports()
            case .settling: account.freeze()
            default: break
            }
        }
        link.close()
        return try Self.finish(account, arguments)
    }

    private mutating func take(_ messages: [ServerLink.Message]) {
        for message in messages {
            intake.read(message.topic, message.payload, isRetained: message.isRetained) { account.take($1, of: $0) }
        }
    }

    private mutating func ask(_ missing: [Missing], _ link: ServerLink, _ now: Int64) {
        guard link.isOnline else { return }
        for ask in inquiry.asks(for: missing, now) { link.publish("\(prefix)/\(ask.host)/resend", ask.payload) }
    }

    /// Prints the verdict; the exit status.
    static func finish(_ account: FleetAccount, _ arguments: Arguments) throws(StartFailure) -> Int32 {
        let summaries = account.summaries
        let verdict = VerifyVerdict(summaries, hasRefusedHosts: account.hasRefusedHosts)
        if arguments.isJSON {
            try Output.write(VerifyJSON.text(summaries, verdict))
        } else {
            try Output.write(VerifyText.text(summaries, verdict))
        }
        guard !summaries.isEmpty else {
            throw StartFailure(69, "no host said anything: are --prefix and --host right, and does a bridge run?")
        }
        return verdict.isComplete ? 0 : 1
    }
}

extension UInt64 {
    func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
