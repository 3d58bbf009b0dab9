internal import CLinux
internal import Glibc

/// Notifications to the service manager. `sd_notify(3)`
///
/// Without a service manager every call is a no-op. No call waits: sd_notify does so while the service manager is busy,
/// and the loop must not, so what does not fit is dropped. Functions that need libsystemd are in the daemon, so that
/// other programs need not link it.
public struct ServiceNotification: Sendable {
    /// The service manager's watchdog interval in nanoseconds; nil if there is none.
    public let watchdogNanoseconds: Int64?

    private let path: String?

    /// Whether a service manager listens.
    public var isHeard: Bool { path != nil }

    /// Reads the address of the service manager from the environment.
    public init(watchdogNanoseconds: Int64?) {
        path = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
        self.watchdogNanoseconds = watchdogNanoseconds
    }

    /// Sets the status line.
    public func status(_ text: String) { notify("STATUS=\(text)") }

    /// Announces a reload; `reloaded` follows in any case.
    public func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicNanoseconds() / 1_000)")
    }

    /// Announces the end of a reload, applied or refused; false if that was not sent and must be repeated.
    public func reloaded() -> Bool {
        guard let path else { return true }
        return unsafe clinux_notify(path, "READY=1") == 0
    }

    /// Announces the end of the daemon.
    public func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }

    /// Pats the watchdog.
    public func alive() { notify("WATCHDOG=1") }

    /// Drops what does not fit. `sendto(2)`
    private func notify(_ text: String) {
        if let path { _ = unsafe clinux_notify(path, text) }
    }
}

extension ServiceNotification {
    /// Sends a message with at most 250 descriptors, which stay the caller's, to the service manager at a path.
    ///
    /// If it is busy, waits at most this many milliseconds and then fails with EAGAIN. `sendmsg(2)`
    public static func send(
        _ text: String, with numbers: [Int32], to path: String, waitingMilliseconds: Int32
    ) throws(SystemError) {
        let count = Int32(clamping: numbers.count)
        guard unsafe clinux_notify_descriptors(path, text, numbers, count, waitingMilliseconds) == 0 else {
            throw .current("send descriptors to the service manager")
        }
    }
}
