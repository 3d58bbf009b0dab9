internal import Platform

/// The bridge's state and signs of life, for the service manager that started it, if any.
final class ServiceStatus {
    private let notification = ServiceNotification()
    private var watchdogDue: Int64 = 0
    private var statusDue: Int64 = 0
    private var status = ""

    private static let statusNanoseconds: Int64 = 2_000_000_000

    /// The spool is open.
    func ready(_ status: String) { notification.ready(status: status) }

    /// The program ends.
    func stopping() { notification.stopping() }

    /// Pats the watchdog and reports the state, if it is time; when to be called again.
    func turn(_ now: Int64, _ summarize: () -> String) -> Int64 {
        guard notification.hasListener else { return .max }
        // Nothing is new until another turn; what this one brought is reported when it is time.
        let isDue = now >= statusDue
        if isDue {
            let summary = summarize()
            statusDue = now + Self.statusNanoseconds
            if summary != status { notification.status(summary) }
            status = summary
        }
        let next = isDue ? .max : statusDue
        guard let interval = notification.watchdogNanoseconds else { return next }
        // A turn that comes a little before it is due saves one of its own.
        if now >= watchdogDue - interval / 6 {
            notification.alive()
            watchdogDue = now + interval / 2
        }
        return min(watchdogDue, next)
    }
}
