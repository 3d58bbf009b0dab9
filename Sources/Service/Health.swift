internal import Delivery
public import Platform
public import Readings

/// What the service manager hears: one line on how things are, and signs of life.
///
/// Called at the end of each turn of the loop, so a loop that does not turn sends none.
public final class Health {
    private let notification: ServiceNotification
    private var told = ""
    private var nextStatus: BootTime?
    private var nextSign: BootTime?
    private var isUntold = false

    /// How often the line may change: it is for people.
    private static let statusNanoseconds: Int64 = 1_000_000_000

    /// Signs of life go out at half the interval that the service manager wants.
    public init(_ notification: ServiceNotification, now: BootTime) {
        self.notification = notification
        nextSign = notification.watchdogNanoseconds.map { now + $0 / 2 }
    }

    /// The next sign of life, or the time to tell a change that came too soon after the last.
    var deadline: BootTime? { BootTime.earlier(nextSign, isUntold ? nextStatus : nil) }

    func turnDidEnd(_ resources: [ServedResource], clients: Int, now: BootTime) {
        if let nextSign, now >= nextSign, let interval = notification.watchdogNanoseconds {
            notification.alive()
            self.nextSign = now + interval / 2
        }
        guard notification.isHeard else { return }
        let text = Self.words(for: resources, clients: clients)
        isUntold = text != told
        guard isUntold, nextStatus.map({ now >= $0 }) ?? true else { return }
        isUntold = false
        told = text
        nextStatus = now + Self.statusNanoseconds
        notification.status(text)
    }

    static func words(for resources: [ServedResource], clients: Int) -> String {
        let active = resources.filter { $0.core.state == .active }.count
        let lanes = resources.reduce(0) { $0 + $1.core.lanes.count }
        return [(active, "device", " active"), (clients, "client", ""), (lanes, "lane", "")]
            .map { count, noun, rest in "\(count) \(noun)\(count == 1 ? "" : "s")\(rest)" }
            .joined(separator: ", ")
    }
}
