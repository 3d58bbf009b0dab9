internal import Devices
internal import Platform
internal import Readings
internal import Service
internal import ServiceManagement

/// The order of start and stop.
///
/// Locks come before anything that touches a socket, libgps or libiio: libiio's open disables a running buffer before it
/// notices that it is busy, so a second broker must never get that far.
struct Daemon {
    private let arguments: Arguments
    private let journal = Journal()

    /// How long the devices' threads have to close what they hold before they are abandoned.
    private static let stopNanoseconds: Int64 = 500_000_000

    /// A daemon that has not started.
    init(_ arguments: Arguments) { self.arguments = arguments }

    /// Serves until it is told to stop.
    func run() throws(StartFailure) {
        let plan = DevicePlan(arguments)
        let places = try Places(arguments)
        let locks = try Locks(places, plan)
        do throws(SystemError) {
            try serve(plan, places)
        } catch {
            throw StartFailure(error)
        }
        // Held to the very end: sockets and devices are closed by now.
        withExtendedLifetime(locks) {}
    }

    private func serve(_ plan: DevicePlan, _ places: Places) throws(SystemError) {
        let startedAt = BootTime(nanoseconds: Clock.bootNanoseconds())
        DescriptorLimit.raise()
        let signals = try Signals()
        let notification = ServiceNotification()
        let server = try Server()
        let health = Health(notification, now: startedAt)
        let broker = Broker(server: server, journal: journal, health: health, startedAt: startedAt)
        try Doors.open(places, on: server, to: broker)
        let channels = try plan.start(for: broker)
        try server.watch(signals.number) { [journal] now in
            guard let request = signals.take() else { return }
            guard request == .stop else {
                return journal.write(.notice, "there is no configuration to reload")
            }
            notification.stopping()
            broker.shutDown(now: now)
            for channel in channels { channel.requestStop() }
            server.stop()
        }
        notification.ready(status: "Serving")
        journal.write(.notice, "serving \(plan.names) at \(places.broker)")
        try server.run(broker)
        let deadline = Clock.bootNanoseconds() + Self.stopNanoseconds
        for channel in channels {
            _ = channel.waitUntilStopped(nanoseconds: max(0, deadline - Clock.bootNanoseconds()))
        }
    }
}
