public import Platform
internal import Printable
public import Readings

/// Reports the daemon's status to the service manager, in one line, and sends it signs of life.
///
/// The loop calls this at the end of each turn, so a loop that hangs sends no signs of life.
public final class Health {
    private let notification: ServiceNotification
    /// The numbers that were reported last.
    private var reported: Counts?
    private var nextStatus: BootTime?
    private var nextSign: BootTime?
    /// Whether the numbers have changed since.
    private var isStatusPending = false
    /// When to report again that the configuration has been read; nil: the service manager has received it.
    private var reloadAgainAt: BootTime?

    /// The line is for people: it changes no more often than this.
    private static let statusNanoseconds: Int64 = 1_000_000_000
    /// If a busy service manager has not taken a message that it waits for, the message is sent again after this time.
    private static let againNanoseconds: Int64 = 100_000_000

    /// Signs of life go out at half the interval that the service manager wants.
    public init(_ notification: ServiceNotification, now: BootTime) {
        self.notification = notification
        nextSign = notification.watchdogNanoseconds.map { now + $0 / 2 }
    }

    /// The configuration is being read again.
    public func willReload() { notification.reloading() }

    /// The configuration was read, and applied or refused.
    ///
    /// This is repeated until the service manager has received it, since it waits for it.
    public func didReload(now: BootTime) { reloadAgainAt = notification.reloaded() ? nil : now + Self.againNanoseconds }

    /// When the next sign of life is due, or a report that could not be sent yet.
    var deadline: BootTime? {
        BootTime.earlier(BootTime.earlier(nextSign, reloadAgainAt), isStatusPending ? nextStatus : nil)
    }

    /// The counts of devices are as of the last look at them, in this turn.
    func turnDidEnd(_ devices: DeviceCounts, clients: Int, now: BootTime) {
        // A turn that takes place a little before it is due saves one of its own.
        if let nextSign, let interval = notification.watchdogNanoseconds, now >= nextSign + -(interval / 6) {
            notification.alive()
            self.nextSign = now + interval / 2
        }
        if let reloadAgainAt, now >= reloadAgainAt { didReload(now: now) }
        guard notification.hasListener else { return }
        let counts = Counts(devices: devices, clients: clients)
        isStatusPending = counts != reported
        guard isStatusPending, nextStatus.map({ now >= $0 }) ?? true else { return }
        isStatusPending = false
        reported = counts
        nextStatus = now + Self.statusNanoseconds
        notification.status(counts.words)
    }

    /// The numbers in the line, which are compared in each turn and put into words only when they are sent.
    struct Counts: Equatable {
        var devices: DeviceCounts
        var clients: Int

        var words: String {
            "\(devices.active.counted("device")) active, \(clients.counted("client")), \(devices.lanes.counted("lane"))"
        }
    }
}

/// What the status line says of devices.
struct DeviceCounts: Equatable {
    /// How many are open; what is derived does not count.
    var active = 0
    /// The lanes of their resources.
    var lanes = 0

    static func + (one: Self, other: Self) -> Self {
        Self(active: one.active + other.active, lanes: one.lanes + other.lanes)
    }

    static func - (all: Self, part: Self) -> Self {
        Self(active: all.active - part.active, lanes: all.lanes - part.lanes)
    }
}
