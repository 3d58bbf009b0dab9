internal import CLinux
internal import Glibc

/// Notifications to the service manager. `sd_notify(3)`
///
/// Without a service manager every call is a no-op. Only `ready` waits: sd_notify always does so while the service manager
/// is busy, and a loop must not, so what does not fit is dropped. Programs that need nothing else of libsystemd need not
/// link it.
public struct ServiceNotification: Sendable {
    /// The service manager's watchdog interval in nanoseconds; nil if there is none.
    public let watchdogNanoseconds: Int64?

    private let path: String?

    /// Whether a service manager listens.
    public var hasListener: Bool { path != nil }

    /// How long the service manager may take to receive that this process is ready: by default it waits for 90 s itself.
    private static let patienceMilliseconds: Int32 = 80_000

    /// Connects to the service manager that started this process, if any.
    public init() { self.init(EnvironmentVariable.value) }

    /// The same with a given environment. `sd_watchdog_enabled(3)`
    init(_ variable: (String) -> String?) {
        path = variable("NOTIFY_SOCKET")
        let isOurs = variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 && isOurs ? $0 : nil }
        watchdogNanoseconds = microseconds.map { min($0, .max / 1_000) * 1_000 }
    }

    /// Reports readiness, and waits until the service manager has received it. `sendmsg(2)`
    public func ready(status: String? = nil) {
        let text = "READY=1" + (status.map { "\nSTATUS=\($0)" } ?? "")
        if let path {
            try? Self.send(text, with: [], to: path, waitingMilliseconds: Self.patienceMilliseconds)
        }
    }

    /// Has it keep a descriptor for the process after this one, unless it is busy. `sendmsg(2)`
    public func keep(_ number: Int32, named name: String) {
        if let path {
            try? Self.send("FDSTORE=1\nFDNAME=\(name)", with: [number], to: path, waitingMilliseconds: 0)
        }
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
