public import Readings

/// A device as its own thread sees it: found, opened, read, closed.
///
/// A driver may block in any of these calls; it is the only place of the daemon that may. It knows nothing of clients,
/// lanes or retries: it reports what happened as samples, gaps and typed faults, and the supervisor decides what
/// follows. The thread calls `close` after a fault, and before it opens the device again.
public protocol DeviceDriver: ~Copyable {
    /// Checks whether the device is there and what it can do, without starting it or disturbing other programs that use
    /// it.
    mutating func probe() throws(DeviceFault) -> DeviceProfile

    /// Opens the device and starts it at the slowest of its intervals that is no longer than the demand's.
    mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile

    /// Changes the pace of the open device; puts any samples that this cost into the intake, as a gap.
    mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile

    /// What `read` waits for.
    var readiness: Readiness { get }

    /// Takes the data that has arrived. Called when `readiness` is met.
    mutating func read(into intake: inout Intake) throws(DeviceFault)

    /// Stops and closes the device; does nothing if it is closed already.
    mutating func close()
}

/// What a device thread waits for before it reads its driver.
public enum Readiness: Equatable, Sendable {
    /// The descriptor is readable, or the instant has come.
    case descriptor(Int32, orAt: BootTime?)
    /// The instant has come.
    case at(BootTime)
    /// Nothing: `read` itself waits, for at most a second.
    case insideRead
}
