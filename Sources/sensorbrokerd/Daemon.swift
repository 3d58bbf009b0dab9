internal import Configuration
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
    private let settings: Settings
    private let journal = Journal()

    /// How long the devices' threads have to close what they hold before they are abandoned.
    private static let stopNanoseconds: Int64 = 500_000_000

    /// A daemon that has not started.
    init(_ arguments: Arguments, _ settings: Settings) {
        self.arguments = arguments
        self.settings = settings
    }

    /// Serves until it is told to stop.
    func run() throws(StartFailure) {
        let places = try Places(arguments)
        let lock = try Self.lock(places)
        let plan = try DevicePlan(settings, isMock: arguments.mock, HardwareLocks(places))
        do throws(SystemError) {
            try serve(plan, places)
        } catch {
            throw StartFailure(error)
        }
        // Held to the very end: sockets and devices are closed by now.
        withExtendedLifetime(plan) {}
        withExtendedLifetime(lock) {}
    }

    private static func lock(_ places: Places) throws(StartFailure) -> InstanceLock {
        do { return try InstanceLock(path: places.lock) } catch {
            throw StartFailure(error, holding: "already running")
        }
    }

    private func serve(_ plan: DevicePlan, _ places: Places) throws(SystemError) {
        let startedAt = BootTime(nanoseconds: Clock.bootNanoseconds())
        DescriptorLimit.raise()
        let signals = try Signals()
        let notification = ServiceNotification()
        let server = try Server(journal: journal)
        // Whatever fails on the way: sockets that were made are not left.
        defer { server.close() }
        let health = Health(notification, now: startedAt)
        let broker = Broker(server: server, journal: journal, health: health, startedAt: startedAt)
        let reconfiguration = Reconfiguration(
            settings, arguments, plan, server, broker, journal, health, now: startedAt)
        let calls = BrokerCalls(broker)
        let administration = AdminCalls(broker) { (now) throws(ConfigurationErrors) in
            try reconfiguration.reload(now: now)
        }
        let succession = Succession(PassedSockets.take(), journal)
        let doors = Doors(calls, administration)
        let mayClientsCome = try doors.open(places, passed: succession.others, on: server, now: startedAt)
        try plan.start(for: broker)
        succession.begin(on: server, broker, calls, administration, now: startedAt)
        MemoryWatch.begin(on: server, broker, journal)
        let stop = {
            notification.stopping()
            server.stop { now in
                succession.leave(broker, now: now)
                for channel in broker.channels { channel.requestStop() }
            }
        }
        if !mayClientsCome { server.lastClientLeft = stop }
        try server.watch(signals.number) { now in
            guard let request = signals.take() else { return }
            // What is wrong with it is in the journal.
            guard request == .stop else { return _ = try? reconfiguration.reload(now: now) }
            stop()
        }
        notification.ready(status: "Serving")
        journal.write(.notice, "serving \(plan.names) at \(places.broker)", .serving)
        try server.run(broker)
        let deadline = Clock.bootNanoseconds() + Self.stopNanoseconds
        for channel in broker.channels {
            _ = channel.waitUntilStopped(nanoseconds: max(0, deadline - Clock.bootNanoseconds()))
        }
    }
}
