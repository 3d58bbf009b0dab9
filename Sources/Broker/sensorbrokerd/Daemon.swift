internal import Configuration
internal import Devices
internal import Platform
internal import Programs
internal import Readings
internal import Scenarios
internal import Service

/// Starts and stops the parts of the daemon in the right order.
///
/// Locks come before anything that uses a socket, libgps or libiio: libiio's open disables a running buffer before it
/// notices that it is busy, so a second broker must never get that far.
struct Daemon {
    private let arguments: Arguments
    private let configured: Configured<Settings>
    private let settings: Settings
    private let scenario: Scenario?
    private let journal: Journal

    /// How long the devices' threads may take to close their devices before they are abandoned.
    private static let stopNanoseconds: Int64 = 500_000_000

    init(_ arguments: Arguments, _ configured: Configured<Settings>, _ scenario: Scenario? = nil) {
        self.arguments = arguments
        self.configured = configured
        settings = configured.settings.overridden(by: arguments)
        self.scenario = scenario
        // With `--exec`, users want to read the command's output.
        journal = Journal(atLeast: arguments.command.isEmpty ? .notice : .error)
    }

    /// Serves until a signal, or until the command ends; returns the exit status.
    func run() throws(Failure) -> ExitStatus {
        if let tempo = arguments.tempo ?? scenario?.tempo { VirtualTime.begin(tempo: tempo) }
        let paths = try InstancePaths(arguments)
        defer { paths.tidyUp() }
        let instanceFiles = try InstanceFiles(paths, journal)
        let plan = try plan()
        let command = ExecCommand(arguments.command)
        do throws(SystemError) {
            try serve(plan, paths, instanceFiles, command)
        } catch {
            throw Failure(error)
        }
        // Kept to the end: by then sockets and devices are closed.
        withExtendedLifetime(plan) {}
        withExtendedLifetime(instanceFiles) {}
        return command.exitStatus
    }

    /// Prints the socket's path.
    ///
    /// If that fails the broker serves all the same, since clients may know the path.
    private func announce(_ path: String) {
        do throws(Failure) { try Output.write("\(path)\n") } catch {
            journal.write(.error, error.message ?? "nobody reads the path of the socket")
        }
    }

    private func plan() throws(Failure) -> DevicePlan {
        if let file = arguments.replay { return try DevicePlan(replaying: file, goesRound: arguments.loop) }
        if arguments.mock { return try DevicePlan(simulating: scenario) }
        return try DevicePlan(settings, HardwareLocks())
    }

    private func serve(
        _ plan: DevicePlan, _ paths: InstancePaths, _ instanceFiles: InstanceFiles, _ command: ExecCommand
    ) throws(SystemError) {
        let startedAt = BootTime(nanoseconds: Clock.bootNanoseconds())
        DescriptorLimit.raise()
        let signals = try Signals()
        let notification = ServiceNotification()
        let server = try Server(journal: journal)
        // Close the sockets after any failure.
        defer { server.close() }
        let health = Health(notification, now: startedAt)
        let broker = Broker(server: server, journal: journal, health: health, startedAt: startedAt)
        let reconfiguration = try Reconfiguration(
            settings, arguments, plan, of: broker, on: server, journal: journal, health: health, now: startedAt)
        for remark in configured.remarksForHost { journal.write(.warning, remark) }
        let calls = BrokerCalls(broker)
        let administration = AdminCalls(broker, mock: plan.faults) { reconfiguration.reload($0) }
        let succession = Succession(PassedSockets.take(), journal)
        let state = try StateDirectory.path(arguments, isTemporary: paths.isTemporary).map { path throws(SystemError) in
            try CalibrationFiles(in: path, journal)
        }
        try state?.serve(broker, on: server)
        let sockets = DaemonSockets(calls, administration, FeedCalls(broker))
        let mayClientsCome = try sockets.open(paths, passed: succession.others, on: server, now: startedAt)
        instanceFiles.watch(server)
        try plan.start(for: broker)
        broker.expectFeeds(now: startedAt)
        succession.begin(on: server, broker, calls, administration, now: startedAt)
        MemoryWatch.begin(on: server, broker, journal)
        let stop = {
            notification.stopping()
            server.stop { now in
                broker.storeLearnt(now: now)
                succession.leave(broker, now: now)
                for channel in broker.channels { channel.request(.stop) }
            }
        }
        if !mayClientsCome { server.lastClientLeft = stop }
        try server.watch(signals.number) { now in
            switch signals.take() {
            case .stop where !command.isAskedToEnd(): stop()
            case .lookAfterChild where command.isOver(): stop()
            // The errors are in the journal.
            case .reload: reconfiguration.reload()
            case .stop, .lookAfterChild, nil: break
            }
        }
        notification.ready(status: "Serving")
        FilePages.release()
        ProcessMemory.returnFreed()
        journal.write(.notice, "serving \(plan.names) at \(paths.broker)", .serving)
        if arguments.isTemporary { announce(paths.broker) }
        if !command.begin(at: paths.broker, journal) { stop() }
        try server.run(broker)
        state?.finish(nanoseconds: Self.stopNanoseconds)
        waitForDrivers(of: broker)
    }

    /// Waits until the devices' threads have closed their devices, at most for a moment.
    private func waitForDrivers(of broker: Broker) {
        let deadline = Clock.bootNanoseconds() + Self.stopNanoseconds
        let hanging = broker.channels.count { channel in
            !channel.waitUntilStopped(nanoseconds: max(0, deadline - Clock.bootNanoseconds()))
        }
        guard hanging > 0 else { return }
        let drivers = hanging == 1 ? "a driver" : "\(hanging) drivers"
        journal.write(.warning, "exiting although \(drivers) did not return in time")
    }
}
