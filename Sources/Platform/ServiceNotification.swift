internal import CLinux
internal import CSystemd
internal import Glibc

/// What the daemon tells the service manager, and what it got from it. `sd_notify(3)`, `sd_listen_fds(3)`
///
/// Without a service manager every call is a no-op; only `ready` ever waits for it.
public struct ServiceNotification: Sendable {
    /// How often the service manager wants a sign of life, in nanoseconds; nil if it wants none. `sd_watchdog_enabled(3)`
    public let watchdogNanoseconds: Int64?

    private let path: String?

    /// Whether there is a service manager that listens.
    public var isHeard: Bool { path != nil }

    /// Reads the environment once.
    public init() {
        path = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
        var microseconds: UInt64 = 0
        let wanted = unsafe sd_watchdog_enabled(0, &microseconds) > 0
        watchdogNanoseconds =
            wanted ? Int64(clamping: microseconds).multipliedReportingOverflow(by: 1_000).partialValue : nil
    }

    /// The daemon serves from now on; waits until that is heard. `sd_notify(3)`
    public func ready(status: String) { _ = unsafe sd_notify(0, "READY=1\nSTATUS=\(status)") }

    /// One line on how the daemon is doing.
    public func status(_ text: String) { notify("STATUS=\(text)") }

    /// The configuration is being read again; `reloaded` follows, whatever comes of it.
    public func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicNanoseconds() / 1_000)")
    }

    /// The configuration has been read, and applied or refused; false where that was not heard and is to be said again.
    public func reloaded() -> Bool {
        guard let path else { return true }
        return unsafe clinux_notify(path, "READY=1") == 0
    }

    /// The daemon is on its way out.
    public func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }

    /// The loop turns.
    public func alive() { notify("WATCHDOG=1") }

    /// The sockets that the service manager passed, by their names. `sd_listen_fds_with_names(3)`
    ///
    /// Each is the caller's to own; called once, since it clears the environment.
    public static func passedSockets() -> [(name: String, number: Int32)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = unsafe sd_listen_fds_with_names(1, &names)
        guard count > 0, let names = unsafe names else { return [] }
        var passed: [(name: String, number: Int32)] = []
        for index in 0..<Int(count) {
            guard let name = unsafe names[index] else { continue }
            passed.append((unsafe String(cString: name), SD_LISTEN_FDS_START + Int32(index)))
            unsafe free(name)
        }
        unsafe free(names)
        return passed
    }

    /// Whether a passed descriptor is a listening Unix stream socket. `sd_is_socket(3)`
    public static func isListening(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
    }

    /// sd_notify waits while the service manager is busy; the loop must not, so what does not fit is dropped. `sendto(2)`
    private func notify(_ text: String) {
        if let path { _ = unsafe clinux_notify(path, text) }
    }
}
