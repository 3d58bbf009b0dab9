internal import Fleet
internal import MQTT
internal import Platform
internal import Programs

/// `sensorctl fleet verify`: listens, and proves that everything came, or names what is missing.
struct VerifyCommand {
    private let arguments: Arguments
    private var verification: Verification

    init(_ arguments: Arguments, _ settings: FleetSettings) {
        self.arguments = arguments
        verification = Verification(arguments, prefix: settings.prefix)
    }

    /// Runs it; the exit status.
    consuming func run(_ link: ConsumerLink) throws(Failure) -> ExitStatus {
        while !link.isOnline, link.stops == 0 { take(try link.turn(until: .max)) }
        verification.begin(Clock.bootNanoseconds())
        // The first signal ends the listening, the second the program.
        while !verification.isDone, link.stops < 2 {
            take(try link.turn(until: verification.deadline))
            link.send(
                verification.turn(Clock.bootNanoseconds(), isStopped: link.stops > 0, isOnline: link.isOnline))
        }
        link.close()
        return try Self.finish(verification.account, arguments, unanswering: verification.unanswering)
    }

    private mutating func take(_ messages: [ServerMessage]) {
        for message in messages {
            verification.take(message.topic, message.payload, isRetained: message.isRetained)
        }
    }

    /// Prints the verdict; the exit status.
    static func finish(
        _ account: FleetAccount, _ arguments: Arguments, unanswering: Set<String> = []
    ) throws(Failure) -> ExitStatus {
        let summaries = account.summaries
        let verdict = VerifyVerdict(summaries, hasRefusedHosts: account.hasRefusedHosts)
        if arguments.isJSON {
            try Output.write(VerifyJSON.text(summaries, verdict))
        } else {
            try Output.write(VerifyText.text(summaries, verdict, unanswering: unanswering))
        }
        guard !summaries.isEmpty else {
            throw Failure(.unavailable, "no host said anything: are --prefix and --host right, and does a bridge run?")
        }
        return verdict.isComplete ? .done : .incomplete
    }
}
