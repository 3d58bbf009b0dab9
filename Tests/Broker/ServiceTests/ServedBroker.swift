import Admission
import Delivery
import Devices
import Foundation
import Platform
import Readings
import Varlink

@testable import Service

/// A broker with one accelerometer, served at a socket on a thread of its own; the test is the device.
///
/// Unless a test is about time, the broker's clock stands still: nothing becomes due, however long the host keeps the test waiting,
/// and the only events are those that the test causes.
final class ServedBroker {
    /// The channel through which the test acts as the device's thread.
    let channel: DeviceChannel
    /// Where further resources are announced.
    let arrivals: ResourceArrivals
    /// The broker's socket.
    let path: String
    /// The administrator's socket.
    var adminPath: String { Self.adminPath(beside: path) }
    private let faults: FaultScript?
    private let stop: SharedWakeEvent
    private let denial: SharedWakeEvent
    private let ended: SharedWakeEvent
    private let hold: Hold
    /// The time of sample 0; ahead of the clock, so that no batch ends before its samples end it.
    private let start = BootTime(nanoseconds: Clock.bootNanoseconds() + 60_000_000_000)

    /// What keeps the loop busy, on command.
    private struct Hold: Sendable {
        let (begin, isHeld, end): (SharedWakeEvent, SharedWakeEvent, SharedWakeEvent)
        init() throws { (begin, isHeld, end) = (try SharedWakeEvent(), try SharedWakeEvent(), try SharedWakeEvent()) }
    }

    /// A broker that anybody may read from, or one without a policy.
    ///
    /// The broker's own system calls fail as a script requires, also where the test stands in for the loop. If time passes, a device
    /// hangs after a tenth of a second.
    init(isOpen: Bool = true, faults: FaultScript? = nil, timePasses: Bool = false) throws {
        let directory = FileManager.default.temporaryDirectory.path
        let path = "\(directory)/broker-\(UUID().uuidString.prefix(8))"
        let (channel, arrivals) = (try DeviceChannel(), try ResourceArrivals())
        let (ready, stop, ended, denial) = (
            try SharedWakeEvent(), try SharedWakeEvent(), try SharedWakeEvent(), try SharedWakeEvent()
        )
        let hold = try Hold()
        if !isOpen { denial.signal() }
        try Platform.Thread.start(name: "served-broker") {
            try? Self.serve(path, channel, arrivals, ready: ready, stop: stop, denial: denial, hold, faults, timePasses)
            ended.signal()
        }
        (self.path, self.channel, self.arrivals) = (path, channel, arrivals)
        (self.stop, self.ended, self.denial, self.hold, self.faults) = (stop, ended, denial, hold, faults)
        try ready.wait()
    }

    deinit {
        stop.signal()
        try? ended.wait()
    }

    private static func serve(
        _ path: String, _ channel: DeviceChannel, _ arrivals: ResourceArrivals, ready: SharedWakeEvent,
        stop: SharedWakeEvent,
        denial: SharedWakeEvent, _ hold: Hold, _ faults: FaultScript?, _ timePasses: Bool
    ) throws {
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        let server = timePasses ? try Server() : try Server(clock: { now })
        let broker = Broker(
            server: server, journal: Journal(), health: nil, startedAt: now,
            hangNanoseconds: timePasses ? 100_000_000 : .max / 4)
        if denial.isSignalled {
            denial.clear()
        } else {
            broker.allowEveryone(now: now)
        }
        try server.watch(denial.descriptor) { now in
            denial.clear()
            broker.configure(.notLoaded, now: now)
        }
        try server.watch(hold.begin.descriptor) { _ in
            hold.begin.clear()
            hold.isHeld.signal()
            try? hold.end.wait()
            hold.end.clear()
        }
        try broker.add(.accelerometer, .acceleration, channel, isSimulated: true)
        try broker.addDerived(now: now)
        try broker.serve(arrivals)
        try server.clients.add(Listener(ListeningSocket(path: path, mode: 0o600, groupID: nil), BrokerCalls(broker)))
        let administration = AdminCalls(broker) { _ in }
        try server.clients.add(
            Listener(ListeningSocket(path: adminPath(beside: path), mode: 0o600, groupID: nil), administration))
        try server.watch(stop.descriptor) { [unowned server] now in
            stop.clear()
            broker.shutDown(now: now)
            server.stop()
        }
        FaultScript.install(faults)
        defer { FaultScript.install(nil) }
        ready.signal()
        try server.run(broker)
    }

    private static func adminPath(beside path: String) -> String { path + ".admin" }

    /// Stops it as the daemon is stopped; does not wait.
    func shutDown() { stop.signal() }

    /// From now on nobody may read anything; does not wait.
    func denyAll() { denial.signal() }

    /// The loop is busy meanwhile, and takes what the device sends in one turn.
    func keepingLoopBusy(_ act: () throws -> Void) throws {
        hold.begin.signal()
        try hold.isHeld.wait()
        defer { hold.end.signal() }
        hold.isHeld.clear()
        try act()
    }

    private func send(_ event: DeviceEvent) { asDevice { channel.send(event) } }

    private func asDevice(_ act: () -> Void) {
        FaultScript.install(faults)
        defer { FaultScript.install(nil) }
        act()
    }

    /// The device is opened and runs at an interval, and the broker has taken note of it before it yields anything.
    func open(intervalNanoseconds: Int64, along axes: DeviceProfile.Axes = .device) throws {
        sendOpening(intervalNanoseconds: intervalNanoseconds, along: axes)
        try Patience.wait(for: "the loop takes note of the device") { !channel.hasEvents }
    }

    /// The device is opened and runs at an interval; does not wait.
    func sendOpening(intervalNanoseconds: Int64, along axes: DeviceProfile.Axes = .device) {
        send(.opened)
        var profile = DeviceProfile(
            offered: .discrete([intervalNanoseconds]), intervalNanoseconds: intervalNanoseconds,
            description: nil, simulated: true)
        profile.axes = axes
        send(.profile(profile))
        send(.state(.active))
    }

    /// The device yields one sample with this acceleration, a fifth of a second after the one before.
    func yield(_ acceleration: Acceleration, sequence: UInt64) {
        let timestamp = start + Int64(sequence) * 200_000_000
        send(
            .sample(Sample(sequence: sequence, timestamp: timestamp, measurement: .values(acceleration))))
    }

    /// The device hands over this many samples at once, evenly spaced, counted from 0.
    func handOver(_ count: Int64, every intervalNanoseconds: Int64) {
        var intake = Intake()
        for index in 0..<count {
            let measurement = Measurement.values(Acceleration(x: Double(index), y: 0, z: 9.81))
            intake.append(measurement, at: start + index * intervalNanoseconds)
        }
        asDevice { channel.send(&intake) }
    }

    /// The device yields samples with these numbers, evenly spaced.
    func yield(_ sequences: Range<UInt64>, every intervalNanoseconds: Int64) {
        for sequence in sequences {
            let timestamp = start + Int64(sequence) * intervalNanoseconds
            let measurement = Measurement.values(Acceleration(x: Double(sequence), y: 0, z: 9.81))
            send(.sample(Sample(sequence: sequence, timestamp: timestamp, measurement: measurement)))
        }
    }
}
