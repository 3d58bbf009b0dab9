internal import Readings

/// One opening of a device, from `open` to `close`: its pace, and how long it has been silent.
///
/// Nothing in it is counted: each sample looks at it several times, and each look copies it.
struct Opening: Sendable {
    /// Since when nobody asks for the device; nil while somebody does.
    var warmSince: BootTime?
    /// True from the first sample on.
    private(set) var hasSampled = false
    /// True once the device has been without a reading for too long.
    private(set) var isSilent = false

    /// Whether the device reports its own state: then its silence means nothing.
    var reportsState = false

    private var limits: SilenceLimits
    private var silentSince: BootTime
    private var isExcused = false

    init(profile: DeviceProfile, demand: Demand, at now: BootTime) {
        limits = SilenceLimits(profile: profile, demand: demand)
        silentSince = now
    }

    /// When the silence will next have a meaning.
    var deadline: BootTime { reportsState ? BootTime(nanoseconds: .max) : silentSince + limitNanoseconds }

    /// Why the device is stale: `no reading for 3 s`.
    var staleWords: String { Self.words(staleNanoseconds) }

    /// Why the device is given up: `no reading for 30 s`.
    var lostWords: String { Self.words(limits.reopenNanoseconds) }

    // The new interval starts now, and the old silence shows nothing about it. This excuse holds only once, or a client
    // that keeps changing its request would hide a dead device.
    mutating func adjusted(_ profile: DeviceProfile, to demand: Demand, at now: BootTime) {
        profileChanged(profile, for: demand)
        if !isSilent, !isExcused { excuse(at: now) }
    }

    mutating func profileChanged(_ profile: DeviceProfile, for demand: Demand) {
        limits = SilenceLimits(profile: profile, demand: demand)
    }

    mutating func sampled(at now: BootTime) {
        silentSince = now
        (hasSampled, isSilent, isExcused) = (true, false, false)
    }

    /// Judges a wait that ended without a sample; true if the device must be opened again.
    mutating func judge(at now: BootTime) -> Bool {
        assert(limitNanoseconds > 0)
        guard now >= deadline else { return false }
        if now - deadline > Supervisor.toleranceNanoseconds, !isExcused {
            excuse(at: now)
            return false
        }
        if isSilent { return true }
        isSilent = true
        return false
    }

    private mutating func excuse(at now: BootTime) {
        isExcused = true
        silentSince = now
    }

    private static func words(_ nanoseconds: Int64) -> String { "no reading for \(SilenceLimits.words(nanoseconds))" }

    private var staleNanoseconds: Int64 { hasSampled ? limits.staleNanoseconds : limits.firstNanoseconds }

    private var limitNanoseconds: Int64 { isSilent ? limits.reopenNanoseconds : staleNanoseconds }
}
