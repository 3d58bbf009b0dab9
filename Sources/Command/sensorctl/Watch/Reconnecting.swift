/// Whether a watch reconnects after its broker has gone away.
///
/// By default it reconnects after a crash of the host's service: systemd restarts that broker at once, and a log that has
/// run for days should not end because of it. It does not reconnect after an orderly shutdown, because somebody wanted that,
/// and a new connection would start the broker again through its socket. Nor does it reconnect to a broker that was started
/// by hand, because nobody restarts that. `--reconnect` and `--no-reconnect` override this.
enum Reconnecting: Equatable {
    case afterCrashOfService
    case always
    case never

    /// How long to wait for the service, which systemd restarts a second after each failure.
    private static let patienceNanoseconds: Int64 = 60_000_000_000
    private static let firstPauseNanoseconds: Int64 = 100_000_000
    private static let longestPauseNanoseconds: Int64 = 2_000_000_000

    /// Reads `--reconnect` and `--no-reconnect`.
    init(_ options: [Option: String]) {
        self = options[.reconnect] != nil ? .always : options[.noReconnect] != nil ? .never : .afterCrashOfService
    }

    /// How long to keep trying; nil means not at all.
    func patience(afterShutdown wasAnnounced: Bool, isService: Bool) -> Int64? {
        switch self {
        case .always: .max
        case .never: nil
        case .afterCrashOfService: isService && !wasAnnounced ? Self.patienceNanoseconds : nil
        }
    }

    /// How long to wait before an attempt; attempts count from 0.
    static func pause(before attempt: Int) -> Int64 {
        min(longestPauseNanoseconds, firstPauseNanoseconds << Int64(min(attempt, 10)))
    }

    /// Whether systemd manages the broker at a path.
    static func isService(_ path: String?) -> Bool {
        guard let path, path.hasPrefix("/run/sensorbroker/") else { return false }
        return UnitSurvey.isSystemdRunning
    }
}
