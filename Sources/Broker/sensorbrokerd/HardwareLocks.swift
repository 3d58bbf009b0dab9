internal import Devices
internal import IIO
internal import Platform
internal import Programs

/// The hardware locks that this process holds.
///
/// Each lock holds for the host (Platform/HostLock). The locks do not exclude the process itself: while a device moves
/// to another address and back, its thread may still hold the first one.
///
/// An iiod of this host serves the same sensors as `local:`, so the two exclude each other. A broker takes the lock of
/// one and then looks for the other; of two brokers that start at the same time, at least one sees the other. An iiod
/// counts as local if its process may use the sensors, since only such a process can serve them. A forwarded port, or
/// an impostor, belongs to another process.
///
/// A holder without rights to the sensors is ignored: the sensors are used without the lock, and a line in the log
/// names the holder. Two brokers with rights could do this at the same time; then the kernel lets only one of them
/// capture.
///
/// Taking a lock may block, on the holder's answer and on the host's user database. Threads that want different
/// hardware do not wait for each other.
final class HardwareLocks: Sendable {
    private struct Entry {
        /// Held while a lock is being taken.
        let gate = Gate()
        /// The number of threads that want the lock.
        var takers = 0
        weak var lock: HardwareLock?
    }

    private final class Gate: Sendable {
        let mutex = Locked<Void>(())
    }

    private let entries = Locked<[Hardware: Entry]>([:])
    private let listeners: @Sendable () -> [TCPListener]
    private let attempt: @Sendable (Hardware) throws(LockFailure) -> HostLock

    /// Creates an empty set; tests replace the functions that take a lock and that list this host's listeners.
    init(
        attempt: @escaping @Sendable (Hardware) throws(LockFailure) -> HostLock = { (hardware) throws(LockFailure) in
            try HostLock(hardware.lockName)
        },
        listeners: @escaping @Sendable () -> [TCPListener] = { TCPListener.all() }
    ) {
        self.listeners = listeners
        self.attempt = attempt
    }

    /// Takes the locks of some hardware, unless they are held already: all or none.
    func take(_ wanted: [Hardware]) throws(Failure) -> [HardwareLock] {
        var locks: [HardwareLock] = []
        for hardware in wanted where !locks.contains(where: { $0.hardware == hardware }) {
            locks.append(try take(hardware))
        }
        return locks
    }

    private func take(_ hardware: Hardware) throws(Failure) -> HardwareLock {
        let gate = entries.withLock { entries in
            entries[hardware, default: Entry()].takers += 1
            return entries[hardware, default: Entry()].gate
        }
        defer {
            entries.withLock { entries in
                entries[hardware]?.takers -= 1
                entries = entries.filter { $0.value.takers > 0 || $0.value.lock != nil }
            }
        }
        return try gate.mutex.withLock { _ throws(Failure) in
            let former = entries.withLock { $0[hardware]?.lock }
            if let former, former.isHeld { return former }
            let lock = try HardwareLock(hardware, isKnown: former != nil, attempt)
            try lookForOthers(of: hardware, besides: entries.withLock { $0.keys.map(\.lockName) })
            entries.withLock { $0[hardware]?.lock = lock }
            return lock
        }
    }

    /// Takes the locks of what a driver is about to use, for its thread; throws a fault if another broker has one.
    ///
    /// The locks of the start are not sufficient, because a name may now lead to another address.
    func admit<Source>(_ wanted: [Hardware], to share: Claim<Source>.Share) throws(DeviceFault) {
        do throws(Failure) { share.hold(try take(wanted)) } catch {
            throw DeviceFault(.busy, error.description)
        }
    }

    /// Looks for a broker that uses the same sensors by the other name.
    private func lookForOthers(of hardware: Hardware, besides own: [String]) throws(Failure) {
        switch hardware {
        case .gpsd: return
        case .iiod(let endpoint):
            guard endpoint.isThisHost, let identity = LocalSensors.identity,
                listeners().contains(where: { $0.port == endpoint.port && $0.servesSensors })
            else { return }
            let sensors = Hardware.sensors(identity)
            guard !own.contains(sensors.lockName), let holder = HostLock.holder(of: sensors.lockName),
                sensors.belongs(to: holder)
            else { return }
            throw Self.refusal(sensors.lockName, holder, "\(hardware) serves \(sensors), which another broker uses")
        case .sensors:
            for listener in listeners() where listener.servesSensors {
                let name = Hardware.iiodLockName("this-host:\(listener.port)")
                guard !own.contains(name), let holder = HostLock.holder(of: name) else { continue }
                throw Self.refusal(
                    name, holder, "another broker uses \(hardware), through the iiod at port \(listener.port)")
            }
        }
    }

    private static func refusal(_ name: String, _ holder: LockHolder, _ what: String) -> Failure {
        Failure(.taken(name: "@\(name)", by: holder), holding: what)
    }
}

/// The lock of one piece of hardware, held while this object exists.
final class HardwareLock: Sendable {
    let hardware: Hardware
    private let lock: Optional<HostLock>

    /// False if a holder without rights was ignored; it is tried again when it is needed again.
    var isHeld: Bool {
        switch lock {
        case .some: true
        case .none: false
        }
    }

    /// Takes the lock.
    ///
    /// A holder without rights is logged, unless it has been already.
    fileprivate init(
        _ hardware: Hardware, isKnown: Bool, _ attempt: (Hardware) throws(LockFailure) -> HostLock
    ) throws(Failure) {
        self.hardware = hardware
        do throws(LockFailure) { lock = try attempt(hardware) } catch {
            guard case .taken(_, let holder) = error, !hardware.belongs(to: holder) else {
                throw Failure(error, holding: "another broker uses \(hardware)")
            }
            if !isKnown {
                Journal().write(
                    .warning, "\(error), but has no right to use \(hardware), so the lock is ignored; end that process")
            }
            lock = nil
        }
    }
}

/// A listening TCP port of this host, and its user.
struct TCPListener: Equatable {
    let port: UInt16
    let userID: UInt32

    /// Whether the listener may use this host's sensors, and so may be serving them.
    var servesSensors: Bool { LocalSensors.admit(userID: userID) }

    /// All listeners of this network namespace, from the kernel. `proc_net_tcp(5)`
    static func all() -> [TCPListener] {
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap {
            parse(SmallFile.text(at: $0, maximumBytes: 1 << 20) ?? "")
        }
    }

    /// The lines of listeners: state 0A in the fourth field, the port after the colon of the second.
    static func parse(_ text: String) -> [TCPListener] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 7, fields[3] == "0A", let user = UInt32(fields[7]),
                let port = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) })
            else { return nil }
            return TCPListener(port: port, userID: user)
        }
    }
}
