internal import Delivery
internal import Devices
internal import Readings

/// A device that is served: the channel to the source of its samples, and the demands on it.
final class ServedDevice {
    /// Where its samples come from; all send through the channel.
    enum Source {
        /// A thread with a driver, which follows the channel.
        case thread
        /// Nowhere: clients of the previous daemon use its resources, and it has not been found since.
        case awaited
        /// A program; the device follows its channel in the loop.
        case program
        /// Nowhere: a program may provide it, and none does; its names are free for whoever comes.
        case vacant
        /// Other resources' readings; it is given its demand directly.
        case derivation(obey: (Demand?, BootTime) -> Void)
    }

    /// Where its samples come from: programs come and go, and one that is awaited is found.
    var source: Source
    /// The device's resources, and their combined demand.
    let core: Device
    /// The channel through which it sends; a thread or a program's device also gets its commands through it.
    let channel: DeviceChannel
    /// Whether an administrator has released it; it follows at once, if it can.
    private(set) var isReleased = false
    /// How long it stays open when nobody asks for it, for each kind of its resources; the longest counts.
    private var graces: [Kind: Int64] = [:]
    /// Which samples the loop is not woken for; nil: it is woken for each.
    private var indifference: Indifference?
    /// When it must act, as of the last look.
    private var keptDeadline: BootTime?
    /// What counts for the status line, as of the last look.
    private(set) var counts = DeviceCounts()

    init(_ channel: DeviceChannel, from source: Source = .thread, isSimulated: Bool) {
        core = Device(isSimulated: isSimulated)
        self.channel = channel
        self.source = source
    }

    /// Whether a thread of its own follows the channel.
    var hasThread: Bool { if case .thread = source { true } else { false } }

    /// Whether it has not been found since a restart.
    var isAwaited: Bool { if case .awaited = source { true } else { false } }

    var isProvided: Bool { if case .program = source { true } else { false } }

    /// Whether it is a derivation, and no piece of hardware that can be configured, fail or be reported.
    var isDerived: Bool { if case .derivation = source { true } else { false } }

    var hangs: Bool { core.hang != nil }

    /// Why it yields nothing, if it does not report that again to a resource that comes later: it is released, or hangs.
    var blockage: String? { isReleased ? ReleaseService.releasedWords : core.hang }

    /// Passes on the combined demand of its resources after a change.
    func follow(_ now: BootTime) {
        if case .derivation(let obey) = source { obey(core.demand, now) } else { channel.setDemand(core.demand) }
    }

    /// Whether samples may wait in its channel because nothing follows from them.
    var isIndifferent: Bool { indifference != nil }

    /// Looks, after a change, from which samples nothing follows from now on, and when it must act.
    ///
    /// The flag is set when the loop was not woken for a sample.
    func look(_ derived: (DerivationIndex) -> Indifference.Ground?, _ quiet: LoopFlag) {
        core.forgetChange()
        let mayBeIndifferent = mayBeIndifferent
        learn(mayBeIndifferent ? core.indifference(derived) : nil, quiet)
        keptDeadline = presentDeadline
        counts = DeviceCounts(active: !isDerived && core.isActive ? 1 : 0, lanes: core.laneCount)
        // Derivations change without the device: it is looked at in each turn.
        if mayBeIndifferent, core.followsDerivations { core.noteChange() }
    }

    /// Whether a look would find nothing new.
    func isUpToDate(_ derived: (DerivationIndex) -> Indifference.Ground?) -> Bool {
        (mayBeIndifferent ? core.indifference(derived) : nil) == indifference
    }

    private var mayBeIndifferent: Bool { isIndifferent || !isDerived && core.mayBeIndifferent }

    /// From now on nothing follows from these samples; nil: something may follow from any.
    private func learn(_ indifference: Indifference?, _ quiet: LoopFlag) {
        guard indifference != self.indifference else { return }
        self.indifference = indifference
        guard let indifference else { return channel.setIndifference(nil) }
        channel.setIndifference({ indifference.covers($0) }, flag: quiet)
    }

    /// When it must act even without an event; nil: never.
    var deadline: BootTime? {
        assert(core.hasChanged || keptDeadline == presentDeadline, "when it must act has changed unnoticed")
        return core.hasChanged ? presentDeadline : keptDeadline
    }

    /// While nothing follows from samples, nothing follows from those that lanes hold either.
    private var presentDeadline: BootTime? { isIndifferent ? core.demandDeadline : core.deadline }

    /// Whether somebody asks for it, or it still runs as if somebody did.
    ///
    /// One without resources has given them to another, for which they ask now.
    var isBusy: Bool { !core.resources.isEmpty && (core.isWanted || isIndifferent || core.isActive) }

    /// An administrator has released it, or taken it back.
    func setReleased(_ isReleased: Bool) {
        self.isReleased = isReleased
        // A derived resource follows its source.
        if !isDerived { channel.setReleased(isReleased) }
    }

    /// Applies a policy for a resource of its own; returns whether that grants other intervals than before.
    @discardableResult
    func adopt(_ policy: ResourcePolicy, for resource: OwnedResource) -> Bool {
        graces[resource.kind] = policy.warmGraceNanoseconds
        channel.setWarmGrace(nanoseconds: graces.values.max() ?? policy.warmGraceNanoseconds)
        defer { resource.core.intervalPolicy = policy.intervals }
        return resource.core.intervalPolicy != policy.intervals
    }
}
