internal import Configuration
internal import Devices
internal import Platform
internal import Readings
internal import Service

/// The order of start and stop.
///
/// Locks come before anything that touches a socket, libgps or libiio: libiio's open disables a running buffer before it
/// notices that it is busy, so a second broker must never get that far.
struct Daemon {
    private let arguments: Arguments
    private let configured: Configured
    private let settings: Settings
    private let scenario: Scenario?
    private let journal: Journal

    /// How long the devices' threads have to close what they hold before they are abandoned.
    private static let stopNanoseconds: Int64 = 500_000_000

    /// A daemon that has not started.
    init(_ arguments: Arguments, _ configured: Configured, _ scenario: Scenario? = nil) {
        self.arguments = arguments
        self.configured = configured
        settings = configured.settings.overridden(by: arguments)
        self.scenario = scenario
        // What the command says is what its user wants to read.
        journal = Journal(atLeast: arguments.command.isEmpty ? .notice : .error)
    }

    /// Serves until it is told to stop, or until its command has ended; returns how to exit then.
    func run() throws(StartFailure) -> ExitStatus {
        if let tempo = arguments.speed?.tempo ?? scenario?.tempo { VirtualTime.begin(tempo: tempo) }
        let places = try InstancePaths(arguments)
        defer { places.tidyUp() }
        let foothold = try Foothold(places, journal)
        let plan = try plan()
        let errand = Errand(arguments.command)
        do throws(SystemError) {
            try serve(plan, places, foothold, errand)
        } catch {
            throw StartFailure(error)
        }
        // Held to the very end: sockets and devices are closed by now.
        withExtendedLifetime(plan) {}
        withExtendedLifetime(foothold) {}
        return errand.exitStatus
    }

    /// Prints the socket's path.
    ///
    /// If that fails, the broker serves all the same: clients may know the path from elsewhere.
    private func announce(_ path: String) {
        do throws(StartFailure) { try Program.say("\(path)\n") } catch { journal.write(.error, "\(error)") }
    }

    private func plan() throws(StartFailure) -> DevicePlan {
        if let file = arguments.replay { return try DevicePlan(replaying: file, goesRound: arguments.loop) }
        if arguments.mock { return try DevicePlan(simulating: scenario) }
        return try DevicePlan(settings, HardwareLocks())
    }

    private func serve(
        _ plan: DevicePlan, _ places: InstancePaths, _ foothold: Foothold, _ errand: Errand
    ) throws(SystemError) {
        let startedAt = BootTime(nanoseconds: Clock.bootNanoseconds())
        DescriptorLimit.raise()
        let signals = try Signals()
        let notification = ServiceNotification()
        let server = try Server(journal: journal)
        // Whatever fails on the way: sockets that were made are not left.
        defer { server.close() }
        let health = Health(notification, now: startedAt)
        let broker = Broker(server: server, journal: journal, health: health, startedAt: startedAt)
        let reconfiguration = try Reconfiguration(
            settings, arguments, plan, server, broker, journal, health, now: startedAt)
        configured.remarksForHost.tell(in: journal)
        let calls = BrokerCalls(broker)
        let administration = AdminCalls(broker, mock: plan.faults(of: broker)) { reconfiguration.reload($0) }
        let succession = Succession(PassedSockets.take(), journal)
        let doors = Doors(calls, administration)
        let mayClientsCome = try doors.open(places, passed: succession.others, on: server, now: startedAt)
        foothold.watch(server)
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
            switch signals.take() {
            case .stop where !errand.isAskedToEnd(): stop()
            case .lookAfterChild where errand.isOver(): stop()
            // What is wrong with it is in the journal.
            case .reload: reconfiguration.reload()
            case .stop, .lookAfterChild, nil: break
            }
        }
        notification.ready(status: "Serving")
        journal.write(.notice, "serving \(plan.names) at \(places.broker)", .serving)
        if arguments.isTemporary { announce(places.broker) }
        if !errand.begin(at: places.broker, journal) { stop() }
        try server.run(broker)
        let deadline = Clock.bootNanoseconds() + Self.stopNanoseconds
        let hanging = broker.channels.count { channel in
            !channel.waitUntilStopped(nanoseconds: max(0, deadline - Clock.bootNanoseconds()))
        }
        guard hanging > 0 else { return }
        let drivers = hanging == 1 ? "a driver" : "\(hanging) drivers"
        journal.write(.warning, "ended with \(drivers) that did not let go in time")
    }
}
