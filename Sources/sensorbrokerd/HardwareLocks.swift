internal import Devices
internal import IIO
internal import Platform

/// The locks of hardware that this process holds.
///
/// Each holds for the host (Platform/HostLock). A piece of hardware is not locked against ourselves: while a device moves from
/// one address to another and back, the thread that drives it may hold the first one still.
///
/// An iiod of this host serves the sensors that `local:` reads, so the two exclude each other: who takes one of them looks
/// for the other after that, and one of two who start at the same moment sees the other in any case. Which iiod is one of
/// them is told by who listens there: only somebody who may use the sensors can serve them. A forwarded port, or an iiod that
/// somebody made up, is listened at by others.
///
/// A holder who has no right to the sensors is passed over: the sensors are then used without the lock, and a line in the log
/// names him. Two brokers that have the right could both do so at that time; the kernel still lets only one of them capture.
///
/// To take a lock may take its time: the holder is asked, and the host's lists of users are. Threads that want different
/// hardware do not wait for each other.
final class HardwareLocks: Sendable {
    private struct Place {
        /// Whoever takes the lock has it meanwhile.
        let gate = Gate()
        /// How many threads want the lock.
        var takers = 0
        weak var lock: HardwareLock?
    }

    private final class Gate: Sendable {
        let mutex = Locked<Void>(())
    }

    private let places = Locked<[Hardware: Place]>([:])
    private let attempt: @Sendable (Hardware) throws(LockFailure) -> HostLock

    /// No locks yet; tests replace what takes one from the host.
    init(
        attempt: @escaping @Sendable (Hardware) throws(LockFailure) -> HostLock = { (hardware) throws(LockFailure) in
            try HostLock(hardware.lockName)
        }
    ) { self.attempt = attempt }

    /// The locks of some hardware, taken unless they are held already: all or none.
    func take(_ wanted: [Hardware]) throws(StartFailure) -> [HardwareLock] {
        var locks: [HardwareLock] = []
        for hardware in wanted where !locks.contains(where: { $0.hardware == hardware }) {
            locks.append(try take(hardware))
        }
        return locks
    }

    private func take(_ hardware: Hardware) throws(StartFailure) -> HardwareLock {
        let gate = places.withLock { places in
            places[hardware, default: Place()].takers += 1
            return places[hardware, default: Place()].gate
        }
        defer {
            places.withLock { places in
                places[hardware]?.takers -= 1
                places = places.filter { $0.value.takers > 0 || $0.value.lock != nil }
            }
        }
        return try gate.mutex.withLock { _ throws(StartFailure) in
            let former = places.withLock { $0[hardware]?.lock }
            if let former, former.isHeld { return former }
            let lock = try HardwareLock(hardware, isKnown: former != nil, attempt)
            try Self.lookForOthers(of: hardware, besides: places.withLock { $0.keys.map(\.lockName) })
            places.withLock { $0[hardware]?.lock = lock }
            return lock
        }
    }

    /// Takes the locks of what a driver is about to use, and leaves them to its thread; a fault where another broker has one.
    ///
    /// The locks of the start are not enough: a name may lead elsewhere by now, or had led nowhere.
    func admit<Source>(_ wanted: [Hardware], to share: Claim<Source>.Share) throws(DeviceFault) {
        do throws(StartFailure) { share.hold(try take(wanted)) } catch {
            throw DeviceFault(.busy, error.description)
        }
    }

    /// Looks for a broker that has the same sensors in the other way.
    private static func lookForOthers(of hardware: Hardware, besides own: [String]) throws(StartFailure) {
        switch hardware {
        case .gpsd: return
        case .iiod(let endpoint):
            guard endpoint.isThisHost, let identity = LocalSensors.identity,
                TCPListener.all().contains(where: { $0.port == endpoint.port && $0.servesSensors })
            else { return }
            let sensors = Hardware.sensors(identity)
            guard !own.contains(sensors.lockName), let holder = HostLock.holder(of: sensors.lockName),
                sensors.belongs(to: holder)
            else { return }
            throw refusal(sensors.lockName, holder, "\(hardware) serves \(sensors), which another broker has")
        case .sensors:
            for listener in TCPListener.all() where listener.servesSensors {
                let name = Hardware.iiodLockName("this-host:\(listener.port)")
                guard !own.contains(name), let holder = HostLock.holder(of: name) else { continue }
                throw refusal(name, holder, "another broker has \(hardware), through the iiod at port \(listener.port)")
            }
        }
    }

    private static func refusal(_ name: String, _ holder: LockHolder, _ what: String) -> StartFailure {
        StartFailure(.taken(name: "@\(name)", by: holder), holding: what)
    }
}

/// The right to one piece of hardware, so that two brokers can never own one device; held as long as anybody holds this.
final class HardwareLock: Sendable {
    let hardware: Hardware
    private let lock: Optional<HostLock>

    /// False where it was passed over for a holder without rights; it is tried again when it is wanted again.
    var isHeld: Bool {
        switch lock {
        case .some: true
        case .none: false
        }
    }

    /// Takes the lock of a piece of hardware.
    ///
    /// A holder without rights is told of where that is not known already.
    fileprivate init(
        _ hardware: Hardware, isKnown: Bool, _ attempt: (Hardware) throws(LockFailure) -> HostLock
    ) throws(StartFailure) {
        self.hardware = hardware
        do throws(LockFailure) { lock = try attempt(hardware) } catch {
            guard case .taken(_, let holder) = error, !hardware.belongs(to: holder) else {
                throw StartFailure(error, holding: "another broker has \(hardware)")
            }
            if !isKnown {
                Journal().write(
                    .warning, "\(error), but may not use \(hardware): end it; they are used without the lock")
            }
            lock = nil
        }
    }
}
