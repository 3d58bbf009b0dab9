internal import Glibc
internal import Platform

/// What systemd is told, if it started this program.
final class ServiceManager {
    private let notification: ServiceNotification
    private let path: String?
    private var watchdogDue: Int64 = 0
    private var statusDue: Int64 = 0
    private var status = ""

    private static let second: Int64 = 1_000_000_000

    init() {
        path = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
        let interval = unsafe getenv("WATCHDOG_USEC").flatMap { unsafe Int64(String(cString: $0)) }
        let owner = unsafe getenv("WATCHDOG_PID").flatMap { unsafe Int32(String(cString: $0)) }
        let isOurs = owner == nil || owner == getpid()
        notification = ServiceNotification(
            watchdogNanoseconds: isOurs ? interval.map { min(max(0, $0), 1 << 40) * 1_000 } : nil)
    }

    /// The spool is open.
    func ready(_ status: String) {
        guard let path else { return }
        try? ServiceNotification.send("READY=1\nSTATUS=\(status)", with: [], to: path, waitingMilliseconds: 3_000)
    }

    func stopping() { notification.stopping() }

    /// Pats the watchdog and tells the state, if it is time; when to be called again.
    func turn(_ now: Int64, _ summarize: () -> String) -> Int64 {
        guard notification.isHeard else { return .max }
        if now >= statusDue {
            let summary = summarize()
            statusDue = now + 2 * Self.second
            if summary != status { notification.status(summary) }
            status = summary
        }
        guard let interval = notification.watchdogNanoseconds, interval > 0 else { return statusDue }
        if now >= watchdogDue {
            notification.alive()
            watchdogDue = now + interval / 2
        }
        return min(watchdogDue, statusDue)
    }
}
