import Glibc
import Testing

@testable import Platform

@Suite("A notification to the service manager") struct ServiceNotificationTests {
    private func watchdog(_ microseconds: String?, _ process: String? = nil) -> Int64? {
        ServiceNotification { ["WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process][$0] ?? nil }.watchdogNanoseconds
    }

    @Test("knows the watchdog's interval if it is for this process")
    func interval() {
        #expect(watchdog("30000000") == 30_000_000_000)
        #expect(watchdog("30000000", "\(getpid())") == 30_000_000_000)
        #expect(watchdog("30000000", "1") == nil && watchdog("30000000", "x") == nil)
        #expect(watchdog("\(Int64.max)") == Int64.max / 1_000 * 1_000)
    }

    @Test("has none otherwise", arguments: [nil, "", "0", "-1", "soon"])
    func none(text: String?) { #expect(watchdog(text) == nil) }

    @Test("has a listener only under a service manager")
    func listeners() {
        #expect(!ServiceNotification { _ in nil }.hasListener)
        #expect(ServiceNotification { $0 == "NOTIFY_SOCKET" ? "/run/systemd/notify" : nil }.hasListener)
    }
}
