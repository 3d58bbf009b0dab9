internal import Delivery
internal import Devices
internal import Readings

/// A device that is served: the way to what makes its samples, and what has been asked of it.
///
/// A thread with a driver makes them, or a derivation out of another resource's readings. Both speak through a channel.
final class ServedDevice {
    /// Its resources, and what they need of it together.
    let core = Device()
    /// The way by which it speaks; a thread is also commanded by it.
    let channel: DeviceChannel
    /// True where a mock or a replay makes the samples, as far as is known before the device was opened.
    let isSimulated: Bool
    /// Whether the journal tells how it is doing; of what is derived, the source has been told.
    let isJournaled: Bool
    /// Whether an administrator has given it up; it follows at once, if it can.
    private(set) var isReleased = false
    /// Whether clients of the daemon before this one have its resources, and it has not been found since.
    private(set) var isAwaited: Bool
    /// How long it is kept open when nobody asks for it, by kind of its resources; the longest counts.
    private var graces: [Kind: Int64] = [:]
    private let obey: ((Demand?, BootTime) -> Void)?

    /// A device whose thread follows the channel.
    init(_ channel: DeviceChannel, isSimulated: Bool, isAwaited: Bool = false) {
        (self.channel, self.isSimulated, isJournaled, obey) = (channel, isSimulated, true, nil)
        self.isAwaited = isAwaited
    }

    /// A derivation, which is told itself what is needed of it.
    init(derivedOn channel: DeviceChannel, isSimulated: Bool, obey: @escaping (Demand?, BootTime) -> Void) {
        (self.channel, self.isSimulated, isJournaled, self.obey) = (channel, isSimulated, false, obey)
        isAwaited = false
    }

    /// The places of its resources.
    var places: [Int] { core.resources.map(\.place) }

    /// Whether its thread hangs in its driver.
    var hangs: Bool { core.hang != nil }

    /// Tells it what its resources need together, after that has changed.
    func follow(_ now: BootTime) {
        if let obey { obey(core.demand, now) } else { channel.setDemand(core.demand) }
    }

    /// An administrator has given it up, or taken it back.
    func setReleased(_ isReleased: Bool) {
        self.isReleased = isReleased
        // What is derived follows its source.
        if obey == nil { channel.setReleased(isReleased) }
    }

    /// It has been found, and has a thread from now on.
    func setFound() { isAwaited = false }

    /// Keeps it open so long for one of its kinds.
    func setWarmGrace(nanoseconds: Int64, for kind: Kind) {
        graces[kind] = nanoseconds
        channel.setWarmGrace(nanoseconds: graces.values.max() ?? nanoseconds)
    }
}
