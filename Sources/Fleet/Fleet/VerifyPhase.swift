internal import Timing

/// How a verification goes on, by what it has; pure.
///
/// A verification listens, then waits until each host has reported its numbers, and then until everything is there that
/// they reported.
public struct VerifyPhase: Equatable, Sendable {
    /// What the verification does at present.
    public enum Stage: Equatable, Sendable {
        /// The verification takes what comes.
        case listening
        /// Each host that is online has to report its numbers.
        case reporting
        /// What was reported has to come.
        case settling
        /// The verification is over.
        case done
    }

    /// What there is, when it is asked.
    public struct Facts: Equatable, Sendable {
        /// Whether hosts have not reported their numbers.
        public var hasSilent: Bool
        /// Whether there is any host.
        public var hasHosts: Bool
        /// How many numbers are missing.
        public var missing: UInt64
        /// Whether nobody answers to what is missing.
        public var isHopeless: Bool
        /// Whether a host that is online has not reported where an epoch ended: the next one's first message may be near.
        public var lacksEnds: Bool

        /// Facts.
        public init(hasSilent: Bool, hasHosts: Bool, missing: UInt64, isHopeless: Bool, lacksEnds: Bool) {
            self.hasSilent = hasSilent
            self.hasHosts = hasHosts
            self.missing = missing
            self.isHopeless = isHopeless
            self.lacksEnds = lacksEnds
        }
    }

    /// What the verification does at present.
    public private(set) var stage = Stage.listening
    /// When to ask again at the latest.
    public private(set) var deadline: Int64
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
    public init(_ now: Int64, listeningNanoseconds duration: Int64?, resends: Bool) {
        self.resends = resends
        deadline = now.addingReportingOverflow(max(Self.shortestListeningNanoseconds, duration ?? 0)).partialValue
        if deadline < now { deadline = .max }
    }

    /// Listening is over, whatever was planned.
    public mutating func endListening(_ now: Int64) { if stage == .listening { deadline = now } }

    /// Goes on; whether the stage has changed.
    public mutating func advance(_ now: Int64, _ facts: Facts) -> Bool {
        let before = stage
        switch stage {
        case .listening where now >= deadline:
            stage = .reporting
            end = now + Self.longestReportingNanoseconds
            deadline = now + Self.paceNanoseconds
        case .reporting where now >= end || facts.hasHosts && !facts.hasSilent:
            stage = .settling
            end = now + Self.longestSettlingNanoseconds
            (progressed, deadline) = (now, now)
        case .reporting: deadline = now + Self.paceNanoseconds
        case .settling:
            if facts.missing < least { (least, progressed) = (facts.missing, now) }
            let isLate = now - progressed >= Self.patienceNanoseconds
            let isOver =
                facts.missing == 0 ? !facts.lacksEnds || isLate : resends ? facts.isHopeless : isLate
            if isOver || now >= end { stage = .done }
            deadline = now + Self.paceNanoseconds
        case .listening, .done: break
        }
        return stage != before
    }
}
