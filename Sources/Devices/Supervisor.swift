public import Readings

/// The life of a device: decides when it is probed, opened, adjusted, closed and tried again, and how it is doing.
///
/// A pure state machine: its device thread tells it what was asked and what happened, does what `next` says and publishes
/// what `takeStateChange` gives. Its decisions:
/// - A device is probed once at the start, so that lists tell the truth before anybody subscribes. While nobody asks, a
///   failure is not retried: an idle host is not woken. A probe request or a demand tries again.
/// - A fault is told at once and retried for ever, with back-off, while there is demand. The back-off starts anew with the
///   first sample, not with the opening: a device that opens and fails must not be opened four times a second.
/// - While a retry is under way, the state stays unavailable until the device is open, so that a dead device does not
///   change its state with every try.
/// - Silence is stale first and a lost device later; not of a device that says itself how it is doing.
/// - A device that nobody asks for stays open for a grace. It is read meanwhile: gpsd hangs up on a client that reads nothing,
///   and what lies in a buffer grows stale. When memory is short it is closed at once; while somebody asks, never.
/// - The host's sleep looks like silence. A deadline that was missed by more than two seconds therefore measured nothing
///   and is granted once more, but only once between two samples, so that slow reads cannot hide a dead device.
public struct Supervisor: Sendable {
    /// What the device has been through.
    public private(set) var counters = DeviceCounters()

    private var warmGraceNanoseconds: Int64
    private var generator: SplitMix64
    private var backoff = Backoff()

    private var demand: Demand?
    private var isProbeWanted = true
    private var isLookWanted = false
    private var isStopWanted = false
    private var isReleased = false

    private var opening: Opening?
    private var mustClose = false
    private var fault: DeviceFault?
    private var retryAt: BootTime?
    private var published: ResourceState?

    /// How long a device that nobody asks for stays open, where nothing else is said.
    public static let usualWarmGraceNanoseconds: Int64 = 10_000_000_000
    /// How late a deadline may be met and still count as a wait.
    static let toleranceNanoseconds: Int64 = 2_000_000_000

    /// A device that is closed and wants to be probed; the seed is that of the back-off's jitter.
    public init(seed: UInt64, warmGraceNanoseconds: Int64 = usualWarmGraceNanoseconds) {
        self.warmGraceNanoseconds = max(0, warmGraceNanoseconds)
        generator = SplitMix64(seed: seed)
    }

    // MARK: What is asked

    /// What the subscribers need together; nil where nobody asks.
    public mutating func demand(_ demand: Demand?, at now: BootTime) {
        if opening != nil, self.demand == nil, demand != nil { counters.reuses += 1 }
        if demand != nil {
            opening?.warmSince = nil
        } else if self.demand != nil {
            opening?.warmSince = now
        }
        self.demand = demand
    }

    /// For a moment nobody asked: without a grace, that is enough, and whoever asks now finds the device opened anew.
    public mutating func demandLapsed() {
        if opening != nil, warmGraceNanoseconds == 0 { mustClose = true }
    }

    /// How long the device stays open when nobody asks; also holds for one that is warm already.
    public mutating func setWarmGrace(nanoseconds: Int64) { warmGraceNanoseconds = max(0, nanoseconds) }

    /// Memory is short: a device that is open for nobody is closed.
    ///
    /// One in use never is.
    public mutating func evict() {
        guard opening != nil, demand == nil, !isReleased else { return }
        counters.evictions += 1
        mustClose = true
    }

    /// The driver was closed and made anew: what was known of the device may no longer be so.
    public mutating func remade() {
        opening = nil
        mustClose = false
        backoff.reset()
        (fault, retryAt, isProbeWanted) = (nil, nil, !isReleased)
    }

    /// Somebody wants to know whether the device is there; also tries a failed one again without waiting.
    public mutating func requestProbe() {
        guard opening == nil else { return }
        isProbeWanted = true
    }

    /// The device may have come, gone or changed: an open one is read at once, another one is tried at once.
    public mutating func requestLook() {
        backoff.reset()
        if opening == nil { isProbeWanted = true } else { isLookWanted = true }
    }

    /// An administrator takes the device away, or gives it back.
    public mutating func setReleased(_ released: Bool) {
        guard released != isReleased else { return }
        isReleased = released
        (fault, retryAt, isProbeWanted) = (nil, nil, !released)
    }

    /// The daemon ends.
    public mutating func requestStop() { isStopWanted = true }

    // MARK: What happened

    /// The probe found the device.
    public mutating func probed() {
        isProbeWanted = false
        (fault, retryAt) = (nil, nil)
    }

    /// The device is open and was started for a demand.
    public mutating func opened(_ profile: DeviceProfile, for demand: Demand, at now: BootTime) {
        counters.opens += 1
        isProbeWanted = false
        (fault, retryAt) = (nil, nil)
        opening = Opening(profile: profile, demand: demand, at: now)
        if self.demand == nil { opening?.warmSince = now }
    }

    /// The device runs for another demand.
    public mutating func adjusted(_ profile: DeviceProfile, to demand: Demand, at now: BootTime) {
        opening?.adjusted(profile, to: demand, at: now)
    }

    /// The device turned out to be other than it was believed to be.
    public mutating func profileChanged(_ profile: DeviceProfile) { opening?.profileChanged(profile) }

    /// The device said itself how it is doing, and its word is on its way.
    public mutating func told(_ state: ResourceState) {
        guard opening != nil else { return }
        opening?.told = state
        published = state
    }

    /// A read gave samples; `now` is when they arrived, whatever their stamps say.
    public mutating func sampled(_ count: Int, at now: BootTime) {
        guard count > 0 else { return }
        counters.samples &+= UInt64(clamping: count)
        backoff.reset()
        opening?.sampled(at: now)
    }

    /// A read gave values that cannot be true.
    public mutating func refused(_ count: Int) { counters.refusedValues &+= UInt64(clamping: count) }

    /// A wait, and the read if one was due, ended without a sample; throws where that has been so for too long, which is
    /// then reported as `failed` like any other fault.
    public mutating func cameEmpty(at now: BootTime) throws(DeviceFault) {
        guard opening?.judge(at: now) == true, let opening else { return }
        throw DeviceFault(.lost, opening.lostWords)
    }

    /// Probing, opening, adjusting or reading failed, or the silence was too long.
    public mutating func failed(_ fault: DeviceFault, at now: BootTime) {
        counters.faults += 1
        counters.lastFault = fault
        self.fault = fault
        opening = nil
        mustClose = true
        isProbeWanted = false
        retryAt = demand == nil ? nil : now + backoff.next(using: &generator)
    }

    // MARK: What follows

    /// What the thread does now; `close` counts as done when it is returned.
    public mutating func next(at now: BootTime) -> SupervisorAction {
        if opening != nil, isStopWanted || isReleased || isGraceOver(at: now) { mustClose = true }
        if mustClose {
            (mustClose, isLookWanted) = (false, false)
            opening = nil
            return .close
        }
        if isStopWanted { return .stop }
        if let opening {
            if isLookWanted {
                isLookWanted = false
                return .look
            }
            if let demand, demand != opening.demand { return .adjust(demand) }
            return .run(until: min(opening.deadline, warmUntil ?? opening.deadline))
        }
        return nextWhileClosed(at: now)
    }

    /// The state, where it is another than the last one taken; nil before the first probe has told anything.
    public mutating func takeStateChange() -> ResourceState? {
        guard published != nil || !isProbeWanted || demand != nil || isStopWanted || isReleased else { return nil }
        let state = state
        guard state != published else { return nil }
        published = state
        return state
    }

    /// When the device is closed, where nobody asks for it.
    private var warmUntil: BootTime? { opening?.warmSince.map { $0 + warmGraceNanoseconds } }

    private func isGraceOver(at now: BootTime) -> Bool { warmUntil.map { now >= $0 } ?? false }

    private func nextWhileClosed(at now: BootTime) -> SupervisorAction {
        if isReleased { return .sleep(until: nil) }
        guard let demand else { return isProbeWanted ? .probe : .sleep(until: nil) }
        if let retryAt, now < retryAt, !isProbeWanted { return .sleep(until: retryAt) }
        return .open(demand)
    }

    private var state: ResourceState {
        if isStopWanted { return .idle }
        if isReleased { return .released }
        if let fault { return .unavailable(reason: fault.description) }
        guard let opening else { return demand == nil ? .idle : .starting }
        if demand == nil { return .warm }
        if let told = opening.told { return told }
        if opening.isSilent { return .stale(reason: opening.staleWords) }
        return opening.hasSampled ? .active : .starting
    }
}

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

/// What a device has been through since its thread was started; for the status.
public struct DeviceCounters: Equatable, Sendable {
    /// Times it was opened.
    public var opens: UInt64 = 0
    /// Faults, each failed try included.
    public var faults: UInt64 = 0
    /// The latest of them.
    public var lastFault: DeviceFault?
    /// Samples it gave, all openings together; those of one scan, each of another kind, count as one.
    public var samples: UInt64 = 0
    /// Values that the device gave and that cannot be true, and so did not leave.
    public var refusedValues: UInt64 = 0
    /// Times a warm device was taken up again without being opened.
    public var reuses: UInt64 = 0
    /// Times a warm device was closed before its grace was over, because memory was short.
    public var evictions: UInt64 = 0

    /// All zero.
    public init() {}
}
