internal import Timing

/// How a verification goes on, by what it has; pure.
///
/// A verification listens, then waits until each host has reported its numbers, and then until everything is there that
/// they reported.
package struct VerifyPhase: Equatable, Sendable {
    package enum Stage: Equatable, Sendable {
        /// The verification takes what comes.
        case listening
        /// Each host that is online has to report its numbers.
        case reporting
        /// What was reported has to come.
        case settling
        /// The verification is over.
        case done
    }

    package private(set) var stage = Stage.listening
    /// When to ask again at the latest.
    package private(set) var deadline: Int64
    private let resends: Bool
    private var least = UInt64.max
    private var progressed: Int64 = 0
    private var end: Int64 = 0

    /// What the server kept for us comes at once.
    private static let shortestListeningNanoseconds = 2 * Nanoseconds.second
    /// Hosts report each half minute.
    private static let longestReportingNanoseconds = 45 * Nanoseconds.second
    /// How long nothing of what is missing may come.
    private static let patienceNanoseconds = 10 * Nanoseconds.second
    private static let longestSettlingNanoseconds = 900 * Nanoseconds.second
    private static let paceNanoseconds = Nanoseconds.second / 4

    /// A verification that begins now.
    package init(_ now: Int64, listeningNanoseconds duration: Int64?, resends: Bool) {
        self.resends = resends
        deadline = now.addingReportingOverflow(max(Self.shortestListeningNanoseconds, duration ?? 0)).partialValue
        if deadline < now { deadline = .max }
    }

    /// Listening is over, whatever was planned.
    package mutating func endListening(_ now: Int64) { if stage == .listening { deadline = now } }

    /// Goes on; whether the stage has changed.
    ///
    /// `hasSilent`: some host has not reported its numbers; `missing`: how many are; `isHopeless`: nobody answers to that;
    /// `lacksEnds`: a host that is online has not reported where an epoch ended, and the next one's first message may be near.
    package mutating func advance(
        _ now: Int64, hasSilent: Bool, hasHosts: Bool, missing: UInt64, isHopeless: Bool, lacksEnds: Bool
    ) -> Bool {
        let before = stage
        switch stage {
        case .listening where now >= deadline:
            stage = .reporting
            end = now + Self.longestReportingNanoseconds
            deadline = now + Self.paceNanoseconds
        case .reporting where now >= end || hasHosts && !hasSilent:
            stage = .settling
            end = now + Self.longestSettlingNanoseconds
            (progressed, deadline) = (now, now)
        case .reporting: deadline = now + Self.paceNanoseconds
        case .settling:
            if missing < least { (least, progressed) = (missing, now) }
            let isLate = now - progressed >= Self.patienceNanoseconds
            let isOver = missing == 0 ? !lacksEnds || isLate : resends ? isHopeless : isLate
            if isOver || now >= end { stage = .done }
            deadline = now + Self.paceNanoseconds
        case .listening, .done: break
        }
        return stage != before
    }
}
