internal import Readings

/// One opening of a device, from `open` to `close`: what it runs at, and how long it has been silent.
struct Opening: Sendable {
    /// What it was last opened or adjusted for.
    private(set) var demand: Demand
    /// Since when nobody asks; nil where somebody does.
    var warmSince: BootTime?
    /// True from the first sample on.
    private(set) var hasSampled = false
    /// True when it has been without a reading for too long.
    private(set) var isSilent = false

    /// How it is doing by its own word, if it has one.
    var told: ResourceState?

    private var profile: DeviceProfile
    private var limits: SilenceLimits
    private var silentSince: BootTime
    private var isExcused = false

    init(profile: DeviceProfile, demand: Demand, at now: BootTime) {
        self.profile = profile
        self.demand = demand
        limits = SilenceLimits(profile: profile, demand: demand)
        silentSince = now
    }

    /// When the silence means something next.
    var deadline: BootTime { told == nil ? silentSince + limitNanoseconds : BootTime(nanoseconds: .max) }

    /// Why it is stale: `no reading for 3 s`.
    var staleWords: String { Self.words(staleNanoseconds) }

    /// Why it is given up: `no reading for 30 s`.
    var lostWords: String { Self.words(limits.reopenNanoseconds) }

    // The new interval starts now, and the old silence says nothing about it. Excused but once, or a client that changes
    // its mind all the time would keep a dead device from being noticed.
    mutating func adjusted(_ profile: DeviceProfile, to demand: Demand, at now: BootTime) {
        self.demand = demand
        profileChanged(profile)
        if !isSilent, !isExcused { excuse(at: now) }
    }

    mutating func profileChanged(_ profile: DeviceProfile) {
        self.profile = profile
        limits = SilenceLimits(profile: profile, demand: demand)
    }

    mutating func sampled(at now: BootTime) {
        silentSince = now
        (hasSampled, isSilent, isExcused) = (true, false, false)
    }

    /// Judges a wait that ended without a sample; true when the device must be opened again.
    mutating func judge(at now: BootTime) -> Bool {
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
