internal import CLinux
internal import Devices
internal import Mock
internal import Platform
internal import Readings
internal import Replay
internal import Service

/// A broker on a thread of this process: the daemon's own `Service`, with simulated or recorded devices, without
/// socket, lock or file.
///
/// This is meant for tests and demonstrations that run without a daemon. Clients receive the same bytes as from the
/// daemon. The broker ends when this object is deinitialised.
final class InProcessBroker: Sendable {
    private let backlog = Backlog()
    /// Wakes the broker's thread.
    private let wake: SharedWakeEvent

    /// Connections that wait to be accepted, and whether the broker is closing.
    private final class Backlog: Sendable {
        struct State {
            var waiting: [(number: Int32, provides: Bool)] = []
            var isClosing = false
        }
        let state = Locked(State())
    }

    /// A resource and the channel of its device.
    private struct PlannedDevice {
        let name: ResourceName
        let kind: Kind
        let channel: DeviceChannel
        /// Other resources of the same device.
        var further: [(name: ResourceName, kind: Kind)] = []
    }

    /// Creates a broker with simulated devices.
    convenience init(_ devices: MockDevices) throws(SystemError) {
        var planned: [PlannedDevice] = []
        for plan in devices.plans {
            planned.append(
                PlannedDevice(
                    name: plan.name, kind: plan.script.kind, channel: try DeviceChannel(),
                    further: Array(plan.resources.dropFirst())))
        }
        try self.init(planned) { devices.endFaults() }
        try devices.start(on: planned.map(\.channel), seed: 1)
        try devices.directFaults(on: planned.map(\.channel))
    }

    /// Creates a broker whose devices replay a recording.
    convenience init(replaying recording: Recording) throws(SystemError) {
        var planned: [PlannedDevice] = []
        for track in recording.tracks {
            planned.append(PlannedDevice(name: track.name, kind: track.kind, channel: try DeviceChannel()))
        }
        try self.init(planned)
        let timeline = ReplayTimeline(of: recording, goesRound: true)
        for (seed, (device, track)) in zip(planned, recording.tracks).enumerated() {
            try DeviceThread.start(
                name: "\(track.name)", channel: device.channel, seed: UInt64(seed), warmGraceNanoseconds: 0
            ) { ReplayDevice(track, on: timeline) }
        }
    }

    private init(_ planned: [PlannedDevice], atEnd: @escaping @Sendable () -> Void = {}) throws(SystemError) {
        let (wake, backlog) = (try SharedWakeEvent(), backlog)
        self.wake = wake
        try Thread.start(name: "sensorbroker-in") {
            // If there are no descriptors for a loop, connections are closed, as by a broker that went away.
            try? Self.serve(planned, backlog, wake)
            for device in planned { device.channel.request(.stop) }
            atEnd()
            Self.closeWaiting(backlog)
        }
    }

    deinit {
        backlog.state.withLock { $0.isClosing = true }
        wake.signal()
    }

    /// Opens a connection to it, for a client or for a program that provides. `socketpair(2)`
    func connect(provides: Bool = false) throws(SystemError) -> Descriptor {
        var (theirs, ours): (Int32, Int32) = (-1, -1)
        guard unsafe clinux_stream_pair(&theirs, &ours) == 0 else { throw .current("socketpair") }
        let isOpen = backlog.state.withLock { state in
            if !state.isClosing { state.waiting.append((theirs, provides)) }
            return !state.isClosing
        }
        if !isOpen { _ = Descriptor(owning: theirs) }
        wake.signal()
        return Descriptor(owning: ours)
    }

    private static func serve(_ planned: [PlannedDevice], _ backlog: Backlog, _ wake: SharedWakeEvent)
        throws(SystemError)
    {
        let server = try Server()
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        let broker = Service.Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
        for device in planned {
            try broker.add(device.name, device.kind, device.channel, isSimulated: true)
            for (name, kind) in device.further { _ = broker.add(name, kind, ofDeviceOf: device.name) }
        }
        try broker.addDerived(now: now)
        broker.allowEveryone(now: now)
        broker.configure(FeedPolicy.ownUser, now: now)
        let (calls, feeds) = (BrokerCalls(broker), FeedCalls(broker))
        try server.watch(wake.descriptor) { [unowned server] now in
            wake.clear()
            let (waiting, isClosing) = backlog.state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isClosing)
            }
            for (number, provides) in waiting {
                let handler: any CallHandler = provides ? feeds : calls
                server.clients.admit(UnixSocket(Descriptor(owning: number)), handler, now: now)
            }
            guard isClosing else { return }
            broker.shutDown(now: now)
            server.stop()
        }
        try server.run(broker)
    }

    private static func closeWaiting(_ backlog: Backlog) {
        let waiting = backlog.state.withLock { state in
            state.isClosing = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for (number, _) in waiting { _ = Descriptor(owning: number) }
    }
}
