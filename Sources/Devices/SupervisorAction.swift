public import Readings

/// What a device thread does next, and what it reports to the supervisor after that.
public enum SupervisorAction: Equatable, Sendable {
    /// Probe the driver; report `probed` or `failed`.
    case probe
    /// Open the driver; report `opened` or `failed`.
    case open(Demand)
    /// Adjust the driver; report `adjusted` or `failed`.
    case adjust(Demand)
    /// Read at once, whether something is due or not; report `sampled` or `failed`.
    case look
    /// Close the driver.
    case close
    /// Wait for readiness and read, for commands, or until the instant; report `sampled`, `cameEmpty` or `failed`.
    case run(until: BootTime)
    /// Wait for commands or until the instant; nothing is open.
    case sleep(until: BootTime?)
    /// End the thread; the driver is closed.
    case stop
}
