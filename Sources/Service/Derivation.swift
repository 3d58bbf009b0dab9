internal import Delivery
internal import Devices
internal import Readings

/// Makes a resource out of another one's readings: the orientation, of an accelerometer.
///
/// It stands between the two as if it were both: a client of its source, with a place in a lane there, and the device that
/// owns what it makes, which it tells of samples and states through a channel. So everything else is as with any resource.
final class Derivation {
    /// The place of the resource that it reads.
    let source: Int
    /// Its place among the derivations.
    let place: Int
    /// The device that it is.
    let device: ServedDevice
    /// What it holds of its source; nil while nobody asks for what it makes.
    private var grant: Grant?
    /// What the accelerations of its source are along.
    private var axes = DeviceProfile.Axes.device

    private var tracker = OrientationTracker()
    private var intake = Intake()
    private var hasSpoken = false
    private var told: ResourceState?

    /// Ten a second: a display need not turn faster.
    static let intervalNanoseconds: Int64 = 100_000_000

    init(from source: Int, at place: Int, as device: ServedDevice) {
        self.source = source
        self.place = place
        self.device = device
    }

    private var channel: DeviceChannel { device.channel }

    /// Its membership in the lanes of its source.
    var client: Client { .derivation(place) }

    // MARK: as a client of its source

    /// Whether somebody asks for what it makes.
    var isWanted: Bool { grant != nil }

    func join(_ source: OwnedResource, to sink: some Sink, _ now: BootTime) {
        let grant = Self.grant(of: source)
        self.grant = grant
        learnAxes(of: source)
        source.join(client, grant, inheriting: nil, to: sink, now: now)
    }

    func leave(_ source: OwnedResource, to sink: some Sink, _ now: BootTime) {
        grant = nil
        _ = source.leave(client, to: sink, now: now)
    }

    /// Whether the source grants other than it did when this joined it.
    func wantsOtherGrant(of source: OwnedResource) -> Bool { isWanted && grant != Self.grant(of: source) }

    /// The source's device is there, and says along which axes it measures.
    func learnAxes(of source: OwnedResource) { axes = source.core.profile?.axes ?? .device }

    private static func grant(of source: OwnedResource) -> Grant {
        var request = Request(resource: source.name)
        request.intervalNanoseconds = intervalNanoseconds
        return Grant(request, within: source.core.limits)
    }

    // MARK: as a device

    /// The samples of the source count from 0 again: what was is of before.
    func restart() {
        tracker = OrientationTracker()
        hasSpoken = false
        intake.restart()
        channel.send(.opened)
    }

    /// Takes in readings of the source; says something where they are news, and in any case with the first.
    func take(_ readings: ArraySlice<Sample>) {
        for reading in readings {
            guard let value = Acceleration(reading.measurement) else { continue }
            guard tracker.follow(value, along: axes) || !hasSpoken else { continue }
            hasSpoken = true
            intake.append(.orientation(tracker.orientation), at: reading.timestamp)
        }
        channel.send(&intake)
    }

    /// A try to use the source failed.
    func fail(_ reason: String) { channel.send(.failed(reason: reason)) }

    /// Passes on how the source is doing; what is not in use is idle, even where the source is not.
    func follow(_ state: ResourceState) {
        let state: ResourceState =
            switch state {
            case .unavailable, .released: state
            default: grant == nil ? .idle : (state == .idle || state == .warm ? .starting : state)
            }
        guard state != told else { return }
        told = state
        device.setReleased(state == .released)
        channel.send(.state(state))
    }
}
