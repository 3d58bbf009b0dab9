internal import Platform
internal import Programs

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
    private static let patienceNanoseconds = 60 * Nanoseconds.second

    /// Reads `--reconnect` and `--no-reconnect`.
    init(_ invocation: Invocation) {
        self = invocation.has(.reconnect) ? .always : invocation.has(.noReconnect) ? .never : .afterCrashOfService
    }

    /// How long to keep trying; nil means not at all.
    func patience(afterShutdown wasAnnounced: Bool, isService: Bool) -> Int64? {
        switch self {
        case .always: .max
        case .never: nil
        case .afterCrashOfService: isService && !wasAnnounced ? Self.patienceNanoseconds : nil
        }
    }

    /// The waits before attempts.
    static var backoff: Backoff {
        Backoff(firstNanoseconds: Nanoseconds.second / 10, longestNanoseconds: 2 * Nanoseconds.second)
    }

    /// Whether systemd manages the broker at a path.
    static func isService(_ path: String?) -> Bool {
        guard let path, path.hasPrefix("/run/sensorbroker/") else { return false }
        return UnitSurvey.isSystemdRunning
    }
}
