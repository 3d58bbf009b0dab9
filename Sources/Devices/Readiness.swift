public import Readings

/// What a device thread waits for before it reads its driver.
public enum Readiness: Equatable, Sendable {
    /// The descriptor is readable, or the instant has come.
    case descriptor(Int32, orAt: BootTime?)
    /// The instant has come.
    case at(BootTime)
    /// Nothing: `read` itself waits, for at most a second.
    case insideRead
}
