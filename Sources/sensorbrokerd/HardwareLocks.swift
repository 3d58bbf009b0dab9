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
final class HardwareLocks: Sendable {
    private struct Held {
        weak var lock: HardwareLock?
    }

    private let held = Locked<[Hardware: Held]>([:])

    /// The locks of some hardware, taken unless they are held already: all or none.
    func take(_ wanted: [Hardware]) throws(StartFailure) -> [HardwareLock] {
        try held.withLock { (held) throws(StartFailure) in
            held = held.filter { $0.value.lock != nil }
            var locks: [HardwareLock] = []
            for hardware in wanted where !locks.contains(where: { $0.hardware == hardware }) {
                if let lock = held[hardware]?.lock, lock.isHeld {
                    locks.append(lock)
                    continue
                }
                let lock = try HardwareLock(hardware, isKnown: held[hardware]?.lock != nil)
                try Self.lookForOthers(of: hardware, besides: held.keys.map(\.lockName))
                held[hardware] = Held(lock: lock)
                locks.append(lock)
            }
            return locks
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

    private static func refusal(_ name: String, _ holder: Peer, _ what: String) -> StartFailure {
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
    fileprivate init(_ hardware: Hardware, isKnown: Bool) throws(StartFailure) {
        self.hardware = hardware
        do throws(LockFailure) { lock = try HostLock(hardware.lockName) } catch {
            guard case .taken(_, let holder) = error, !Self.counts(holder, of: hardware) else {
                throw StartFailure(error, holding: "another broker has \(hardware)")
            }
            if !isKnown {
                Journal().write(
                    .warning, "\(error), but may not use \(hardware): end it; they are used without the lock")
            }
            lock = nil
        }
    }

    /// One who does not tell who he is has no right to the sensors: a broker answers.
    private static func counts(_ holder: Peer?, of hardware: Hardware) -> Bool {
        if let holder { return hardware.belongs(to: holder) }
        if case .sensors = hardware { return false }
        return true
    }
}
