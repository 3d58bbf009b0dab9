internal import Delivery
internal import Devices
internal import Readings

/// A resource with its device behind it and the calls that wait for it.
final class ServedResource {
    /// Who gets what of it, when.
    var core: Resource
    /// The way to its device's thread.
    let channel: DeviceChannel
    /// Calls of `Read` that wait for a new sample.
    var reads: [PendingRead] = []
    /// What its device's thread said last of how it is doing.
    var reported = ResourceState.idle
    /// Whether the journal says that it is unavailable.
    var isMissed = false
    /// Whether that thread hangs in its driver.
    var hangs = false
    /// Whether an administrator has given it up; its device follows at once, if it can.
    var isReleased = false
    /// Whether clients of the daemon before this one have it, and it has not been found since.
    var isAwaited = false
    /// True where a mock or a replay makes the samples, as far as is known before the device was opened.
    let isSimulated: Bool
    /// What makes it out of another resource; nil where a device is behind it.
    let derivation: Derivation?
    /// Its place in the broker.
    let index: Int
    /// The time of the newest sample that lanes have; nil: there has been none.
    private(set) var lastSample: BootTime?

    init(
        _ core: consuming Resource, at index: Int, _ channel: DeviceChannel, isSimulated: Bool, derivation: Derivation?
    ) {
        self.core = core
        self.index = index
        self.channel = channel
        self.isSimulated = isSimulated
        self.derivation = derivation
    }

    /// The lanes have a sample of this time.
    func didTake(_ sample: BootTime) { lastSample = lastSample.map { max($0, sample) } ?? sample }

    /// Does as configured; returns whether other intervals are granted than before.
    @discardableResult
    func adopt(_ policy: ResourcePolicy) -> Bool {
        channel.setWarmGrace(nanoseconds: policy.warmGraceNanoseconds)
        defer { core.intervalPolicy = policy.intervals }
        return core.intervalPolicy != policy.intervals
    }
}
