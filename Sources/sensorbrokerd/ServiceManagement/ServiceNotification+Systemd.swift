internal import CSystemd
internal import Platform

extension ServiceNotification {
    /// The service manager that started this process, if one did. `sd_watchdog_enabled(3)`
    init() {
        var microseconds: UInt64 = 0
        let wanted = unsafe sd_watchdog_enabled(0, &microseconds) > 0
        let (nanoseconds, overflow) = Int64(clamping: microseconds).multipliedReportingOverflow(by: 1_000)
        self.init(watchdogNanoseconds: wanted ? (overflow ? .max : nanoseconds) : nil)
    }

    /// The daemon serves from now on; waits until that is heard. `sd_notify(3)`
    func ready(status: String) { _ = unsafe sd_notify(0, "READY=1\nSTATUS=\(status)") }
}
