internal import CLinux
internal import Glibc

/// What the daemon tells the service manager while it runs. `sd_notify(3)`
///
/// Without a service manager every call is a no-op. None of them waits: sd_notify does while the service manager is busy,
/// and the loop must not, so what does not fit is dropped. What needs libsystemd stands in `ServiceManagement`, which
/// spares it to everything else that is built on this module.
public struct ServiceNotification: Sendable {
    /// How often the service manager wants a sign of life, in nanoseconds; nil if it wants none.
    public let watchdogNanoseconds: Int64?

    private let path: String?

    /// Whether there is a service manager that listens.
    public var isHeard: Bool { path != nil }

    /// Reads once from the environment where it listens.
    public init(watchdogNanoseconds: Int64?) {
        path = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
        self.watchdogNanoseconds = watchdogNanoseconds
    }

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

    /// Drops what does not fit. `sendto(2)`
    private func notify(_ text: String) {
        if let path { _ = unsafe clinux_notify(path, text) }
    }
}
