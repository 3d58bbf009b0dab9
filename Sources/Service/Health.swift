internal import Delivery
public import Platform
public import Readings

/// What the service manager hears: one line on how things are, and signs of life.
///
/// Called at the end of each turn of the loop, so a loop that does not turn sends none.
public final class Health {
    private let notification: ServiceNotification
    private var told: Counts?
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
        let counts = Counts(resources, clients: clients)
        isUntold = counts != told
        guard isUntold, nextStatus.map({ now >= $0 }) ?? true else { return }
        isUntold = false
        told = counts
        nextStatus = now + Self.statusNanoseconds
        notification.status(counts.words)
    }

    /// What the line says; put into words only when it is told, for it is looked at in each turn.
    struct Counts: Equatable {
        var activeDevices = 0
        var clients: Int
        var lanes = 0

        init(_ resources: [ServedResource], clients: Int) {
            self.clients = clients
            for resource in resources {
                if resource.core.state == .active { activeDevices += 1 }
                lanes += resource.core.lanes.count
            }
        }

        var words: String {
            [(activeDevices, "device", " active"), (clients, "client", ""), (lanes, "lane", "")]
                .map { count, noun, rest in "\(count) \(noun)\(count == 1 ? "" : "s")\(rest)" }
                .joined(separator: ", ")
        }
    }
}
