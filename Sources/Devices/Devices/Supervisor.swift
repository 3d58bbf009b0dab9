internal import Platform
public import Readings

/// The life of a device: decides when it is probed, opened, adjusted, closed and retried, and what its state is.
///
/// A pure state machine: the device thread reports to it what was asked and what happened, does what `next` says and
/// publishes what `takeStateChange` returns. Its decisions:
/// - A device is probed once at the start, so that lists are true before anybody subscribes. While nobody asks for it,
///   a failure is not retried: an idle host is not woken. A probe request or a demand tries again.
/// - A fault is reported at once and retried for ever, with back-off, while there is demand. The back-off is reset by
///   the first sample, not by the opening: a device that opens and then fails must not be opened four times a second.
/// - While a retry is under way, the state stays unavailable until the device is open, so that a dead device does not
///   change its state with every retry.
/// - A silent device is stale first and lost later, unless it reports its own state.
/// - A device that nobody asks for any more stays open for a grace period. It is still read: gpsd hangs up on a client
///   that reads nothing, and samples in a buffer grow old. If memory is short, it is closed at once, but never while
///   somebody asks.
/// - The host's sleep looks like silence. A deadline that was missed by more than two seconds has therefore measured
///   nothing and is granted once more, but only once between two samples, so that slow reads cannot hide a dead device.
public struct Supervisor: Sendable {
    /// Counters of the device's life so far.
    public private(set) var counters = DeviceCounters() { didSet { hasCounted = true } }
    /// Whether something was counted since the counters were last taken: cheaper to ask than to compare them.
    private var hasCounted = false

    private var warmGraceNanoseconds: Int64
    private var generator: SplitMix64
    private var backoff = Backoff()

    private var demand: Demand? { didSet { mustAdjust = demand != served } }
    /// Whether somebody asks for it.
    // Not `demand == nil`, which copies and compares whole demands.
    private var isWanted: Bool { if case nil = demand { false } else { true } }
    private var isProbeWanted = true
    private var isLookWanted = false
    private var isStopWanted = false
    private var isReleased = false

    private var opening: Opening?
    /// The demand for which the device was last opened or adjusted.
    private var served: Demand? { didSet { mustAdjust = demand != served } }
    /// Whether that is another one than the present demand; worked out when one of them changes, since each sample asks.
    private var mustAdjust = false
    /// The state that the open device reported itself.
    private var ownState: ResourceState?
    private var mustClose = false
    private var fault: DeviceFault?
    private var retryAt: BootTime?
    private var published: ResourceState?

    /// How long a device that nobody asks for stays open by default.
    public static let usualWarmGraceNanoseconds: Int64 = 10_000_000_000
    /// How late a wait may end and still count as one.
    static let toleranceNanoseconds: Int64 = 2_000_000_000

    /// A device that is closed and wants to be probed; the seed is for the jitter of the back-off.
    public init(seed: UInt64, warmGraceNanoseconds: Int64 = usualWarmGraceNanoseconds) {
        self.warmGraceNanoseconds = max(0, warmGraceNanoseconds)
        generator = SplitMix64(seed: seed)
    }

    // MARK: Requests

    /// The combined demand of all subscribers; nil if nobody asks.
    public mutating func demand(_ demand: Demand?, at now: BootTime) {
        let wasWanted = isWanted
        self.demand = demand
        // What could not be had does not keep waiting whoever asks for the rest.
        if let demand, let rest = fault?.remainder, !demand.kinds.intersection(rest.kinds).isEmpty { retryAt = nil }
        if opening != nil, isWanted, !wasWanted { counters.reuses += 1 }
        if isWanted {
            opening?.warmSince = nil
        } else if wasWanted {
            opening?.warmSince = now
        }
    }

    /// For a moment nobody asked: without a grace period that closes the device, and it is opened again for the next
    /// subscriber.
    public mutating func demandLapsed() {
        if opening != nil, warmGraceNanoseconds == 0 { mustClose = true }
    }

    /// How long the device stays open when nobody asks for it; also holds for one that is kept open already.
    public mutating func setWarmGrace(nanoseconds: Int64) { warmGraceNanoseconds = max(0, nanoseconds) }

    /// Memory is short: closes a device that is open although nobody asks for it.
    ///
    /// A device in use is never closed for this.
    public mutating func evict() {
        guard opening != nil, !isWanted, !isReleased else { return }
        counters.evictions += 1
        mustClose = true
    }

    /// The driver was closed and made again: what was known of the device may have changed.
    public mutating func remade() {
        opening = nil
        mustClose = false
        backoff.reset()
        (fault, retryAt, isProbeWanted) = (nil, nil, !isReleased)
    }

    /// Somebody wants to know whether the device is there; also retries a failed one without waiting.
    public mutating func requestProbe() {
        guard opening == nil else { return }
        isProbeWanted = true
    }

    /// The device may have come, gone or changed: an open one is read at once, any other is tried at once.
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

    // MARK: Events

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
        (served, ownState) = (demand, nil)
        if !isWanted { opening?.warmSince = now }
    }

    /// The device now runs for another demand.
    public mutating func adjusted(_ profile: DeviceProfile, to demand: Demand, at now: BootTime) {
        opening?.adjusted(profile, to: demand, at: now)
        served = demand
    }

    /// The device turned out to differ from what was known of it.
    public mutating func profileChanged(_ profile: DeviceProfile) {
        if let served { opening?.profileChanged(profile, for: served) }
    }

    /// The device reported its own state, which is on its way to the loop.
    public mutating func reported(_ state: ResourceState) {
        guard opening != nil else { return }
        opening?.reportsState = true
        ownState = state
        published = state
    }

    /// A read gave samples; `now` is when they arrived, whatever their stamps are.
    public mutating func sampled(_ count: Int, at now: BootTime) {
        guard count > 0 else { return }
        counters.samples &+= UInt64(clamping: count)
        backoff.reset()
        opening?.sampled(at: now)
    }

    /// A read gave values that cannot be true.
    public mutating func refused(_ count: Int) { counters.refusedValues &+= UInt64(clamping: count) }

    /// A wait, and the read if one was due, ended without a sample; throws if that has lasted too long.
    ///
    /// The caller then reports that fault with `failed`, like any other.
    public mutating func cameEmpty(at now: BootTime) throws(DeviceFault) {
        guard opening?.judge(at: now) == true, let opening else { return }
        throw DeviceFault(.lost, opening.lostWords)
    }

    /// Probing, opening, adjusting or reading failed, or the silence was too long.
    public mutating func failed(_ fault: DeviceFault, at now: BootTime) {
        counters.faults += 1
        counters.faultsByKind[fault.kind] += 1
        counters.lastFault = fault
        self.fault = fault
        opening = nil
        mustClose = true
        isProbeWanted = false
        retryAt = !isWanted ? nil : now + backoff.next(using: &generator)
    }

    // MARK: Decisions

    /// What the thread must do now; the supervisor takes a `close` as done when it returns it.
    public mutating func next(at now: BootTime) -> SupervisorAction {
        if opening != nil, isStopWanted || isReleased || isGraceOver(at: now) { mustClose = true }
        if mustClose {
            (mustClose, isLookWanted) = (false, false)
            opening = nil
            return .close
        }
        if isStopWanted { return .stop }
        guard let opening else { return nextWhileClosed(at: now) }
        if isLookWanted {
            isLookWanted = false
            return .look
        }
        if mustAdjust, let demand { return .adjust(demand) }
        return .run(until: min(opening.deadline, warmUntil ?? opening.deadline))
    }

    /// The counters, if something was counted since they were last taken.
    mutating func takeNewCounters() -> DeviceCounters? {
        guard hasCounted else { return nil }
        hasCounted = false
        return counters
    }

    /// The state, if it differs from the last one taken; nil before the first probe has had a result.
    public mutating func takeStateChange() -> ResourceState? {
        guard published != nil || !isProbeWanted || isWanted || isStopWanted || isReleased else { return nil }
        let state = state
        guard state != published else { return nil }
        published = state
        return state
    }

    /// When a device that nobody asks for is closed.
    private var warmUntil: BootTime? { opening?.warmSince.map { $0 + warmGraceNanoseconds } }

    private func isGraceOver(at now: BootTime) -> Bool {
        assert(warmGraceNanoseconds >= 0)
        assert(!isWanted || opening?.warmSince == nil, "what somebody asks for is in use, not warm")
        return warmUntil.map { now >= $0 } ?? false
    }

    private func nextWhileClosed(at now: BootTime) -> SupervisorAction {
        assert(opening == nil && !mustClose && !isStopWanted)
        assert(retryAt == nil || fault != nil, "only what failed is tried again")
        if isReleased { return .sleep(until: nil) }
        guard let demand else { return isProbeWanted ? .probe : .sleep(until: nil) }
        if let retryAt, now < retryAt, !isProbeWanted { return .sleep(until: retryAt) }
        return .open(demand)
    }

    private var state: ResourceState {
        // Mutating, though it changes nothing: else all of the supervisor would be copied, twice in a turn.
        mutating get {
            assert(fault == nil || opening == nil, "a failed device is not open")
            if isStopWanted { return .idle }
            if isReleased { return .released }
            if let fault { return fault.remainder == nil ? .unavailable(reason: fault.description) : .idle }
            guard let opening else { return isWanted ? .starting : .idle }
            if !isWanted { return .warm }
            if opening.reportsState, let ownState { return ownState }
            if opening.isSilent { return .stale(reason: opening.staleWords) }
            return opening.hasSampled ? .active : .starting
        }
    }
}

/// What a device thread must do next, and what it reports to the supervisor afterwards.
public enum SupervisorAction: Equatable, Sendable {
    /// Probe the driver; report `probed` or `failed`.
    case probe
    /// Open the driver; report `opened` or `failed`.
    case open(Demand)
    /// Adjust the driver; report `adjusted` or `failed`.
    case adjust(Demand)
    /// Read at once, whether a read is due or not; report `sampled` or `failed`.
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
