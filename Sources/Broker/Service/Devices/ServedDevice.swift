internal import Delivery
internal import Devices
internal import Readings

/// A device that is served: the channel to the source of its samples, and the demands on it.
///
/// The source is a thread with a driver, a derivation from other resources' readings, or a program. All send through a channel.
final class ServedDevice {
    /// The device's resources, and their combined demand.
    let core: Device
    /// The channel through which it sends; a thread or a program's device also gets its commands through it.
    let channel: DeviceChannel
    /// Whether an administrator has released it; it follows at once, if it can.
    private(set) var isReleased = false
    /// Whether clients of the previous daemon use its resources, and it has not been found since.
    private(set) var isAwaited: Bool
    /// Whether a program may provide it, and none does: its names are free for whoever comes.
    var isVacant = false
    /// How long it stays open when nobody asks for it, for each kind of its resources; the longest counts.
    private var graces: [Kind: Int64] = [:]
    private let obey: ((Demand?, BootTime) -> Void)?
    /// Whether a thread of its own follows the channel.
    private(set) var hasThread: Bool
    /// Which samples the loop is not woken for; nil: it is woken for each.
    private var indifference: Indifference?
    /// When it must act, as of the last look.
    private var keptDeadline: BootTime?
    /// What counts for the status line, as of the last look: whether a device is open, and the lanes of its resources.
    private(set) var counted = (isActive: false, lanes: 0)

    /// A device whose thread follows the channel.
    init(_ channel: DeviceChannel, isSimulated: Bool, isAwaited: Bool = false) {
        core = Device(isSimulated: isSimulated)
        (self.channel, obey) = (channel, nil)
        self.isAwaited = isAwaited
        hasThread = !isAwaited
    }

    /// A device that follows its channel in the loop.
    init(inLoopOn channel: DeviceChannel, isSimulated: Bool) {
        core = Device(isSimulated: isSimulated)
        (self.channel, obey) = (channel, nil)
        (isAwaited, hasThread) = (false, false)
    }

    /// A derivation, which is given its demand directly.
    init(derivedOn channel: DeviceChannel, isSimulated: Bool, obey: @escaping (Demand?, BootTime) -> Void) {
        core = Device(isSimulated: isSimulated)
        (self.channel, self.obey) = (channel, obey)
        (isAwaited, hasThread) = (false, false)
    }

    /// Whether it is a derivation, and no piece of hardware that can be configured, fail or be reported.
    var isDerived: Bool { obey != nil }

    /// Whether its thread hangs in its driver.
    var hangs: Bool { core.hang != nil }

    /// Why it yields nothing, if it does not report that again to a resource that comes later: it is released, or hangs.
    var blockage: String? { isReleased ? ReleaseService.releasedWords : core.hang }

    /// Passes on the combined demand of its resources after a change.
    func follow(_ now: BootTime) {
        if let obey { obey(core.demand, now) } else { channel.setDemand(core.demand) }
    }

    /// Whether samples may wait in its channel because nothing follows from them.
    var isIndifferent: Bool { indifference != nil }

    /// Looks, after a change, from which samples nothing follows from now on, and when it must act.
    func look(_ derived: (DerivationIndex) -> Indifference.Ground?) {
        core.forgetChange()
        let mayBeIndifferent = mayBeIndifferent
        learn(mayBeIndifferent ? core.indifference(derived) : nil)
        keptDeadline = presentDeadline
        counted = (isActive: !isDerived && core.isActive, lanes: core.laneCount)
        // Derivations change without the device: it is looked at in each turn.
        if mayBeIndifferent, core.followsDerivations { core.noteChange() }
    }

    /// Whether a look would find nothing new.
    func isUpToDate(_ derived: (DerivationIndex) -> Indifference.Ground?) -> Bool {
        (mayBeIndifferent ? core.indifference(derived) : nil) == indifference
    }

    private var mayBeIndifferent: Bool { isIndifferent || !isDerived && core.mayBeIndifferent }

    /// From now on nothing follows from these samples; nil: something may follow from any.
    private func learn(_ indifference: Indifference?) {
        guard indifference != self.indifference else { return }
        self.indifference = indifference
        guard let indifference else { return channel.setIndifference(nil) }
        channel.setIndifference { indifference.covers($0) }
    }

    /// When it must act even without an event; nil: never.
    var deadline: BootTime? {
        assert(core.hasChanged || keptDeadline == presentDeadline, "when it must act has changed unnoticed")
        return core.hasChanged ? presentDeadline : keptDeadline
    }

    /// While nothing follows from samples, nothing follows from those that lanes hold either.
    private var presentDeadline: BootTime? { isIndifferent ? core.demandDeadline : core.deadline }

    /// Whether it has to act, as far as is quick to see.
    func mayBeDue(_ now: BootTime) -> Bool { core.hasChanged || keptDeadline.map { $0 <= now } ?? false }

    /// Whether somebody asks for it, or it still runs as if somebody did.
    ///
    /// One without resources has given them to another, for which they ask now.
    var isBusy: Bool { !core.resources.isEmpty && (core.isWanted || isIndifferent || core.isActive) }

    /// An administrator has released it, or taken it back.
    func setReleased(_ isReleased: Bool) {
        self.isReleased = isReleased
        // A derived resource follows its source.
        if obey == nil { channel.setReleased(isReleased) }
    }

    /// The device has been found, and has a thread from now on.
    func setFound() { (isAwaited, hasThread) = (false, true) }

    /// Applies a policy for a resource of its own; returns whether that grants other intervals than before.
    @discardableResult
    func adopt(_ policy: ResourcePolicy, for resource: OwnedResource) -> Bool {
        graces[resource.kind] = policy.warmGraceNanoseconds
        channel.setWarmGrace(nanoseconds: graces.values.max() ?? policy.warmGraceNanoseconds)
        defer { resource.core.intervalPolicy = policy.intervals }
        return resource.core.intervalPolicy != policy.intervals
    }
}
