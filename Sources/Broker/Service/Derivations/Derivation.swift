internal import Delivery
internal import Devices
internal import Readings

/// Makes a resource from another one's readings: the orientation or the tilt, from an accelerometer.
///
/// A derivation plays two parts: it is a client of its source, in a lane there, and the device that owns the derived
/// resource, reporting samples and states through a channel. So everything else works as for any resource.
final class Derivation {
    /// The kind that it is derived from.
    let sourceKind: Kind
    /// The resource that it reads, or that it read last.
    private(set) var source: ResourceIndex
    /// Why there is nothing to read; nil: there is.
    private(set) var absence: String?
    /// The source, as text for people.
    private var origin: String
    /// The index among the derivations.
    let index: DerivationIndex
    /// The device that it acts as.
    let device: ServedDevice
    /// The grant from the source; nil while nobody asks for the derived resource.
    private var grant: Grant?
    /// The interval that those want who ask for the derived resource.
    private var wantedNanoseconds = fastestNanoseconds
    /// Which axes the accelerations of its source follow.
    private var axes = DeviceProfile.Axes.device

    private let unknown: Tracker
    private var tracker: Tracker
    private var intake = Intake()
    private var hasSpoken = false
    private var told: ResourceState?

    /// Ten per second: a display need not turn faster.
    private static let fastestNanoseconds: Int64 = 100_000_000
    /// Once a second: however long clients' intervals are, what is derived must be right when they ask.
    private static let slowestNanoseconds: Int64 = 1_000_000_000

    /// A derivation of what a tracker says, of which nothing is known yet.
    init(_ unknown: Tracker, from source: OwnedResource, at index: DerivationIndex, as device: ServedDevice) {
        (self.unknown, tracker) = (unknown, unknown)
        (self.source, sourceKind) = (source.index, source.kind)
        origin = "from \(source.name)"
        self.index = index
        self.device = device
        channel.send(.profile(profile))
    }

    private var channel: DeviceChannel { device.channel }

    /// The derivation as a member of its source's lanes.
    var client: Client { .derivation(index) }

    // MARK: its source

    /// The resource that it reads; nil: there is none.
    var presentSource: ResourceIndex? { absence == nil ? source : nil }

    /// From now on it reads this resource, or none; the caller has left the former one.
    ///
    /// What was derived from that is void.
    func move(to new: DerivationSource, at other: ResourceIndex?) {
        let isOther = other != presentSource
        if let other, let name = new.name {
            (source, absence) = (other, nil)
            origin = "from \(name)" + (new.reason.map { " (\($0))" } ?? "")
        } else {
            absence = new.name.map { "\($0) is not served" } ?? new.reason ?? "there is no \(sourceKind.row.resource)"
            origin = "from no \(sourceKind.row.resource)"
        }
        if isOther, hasSpoken { channel.send(.replaced) }
        channel.send(.profile(profile(grant)))
        if let absence { follow(.unavailable(reason: absence)) }
    }

    // MARK: as a client of its source

    /// Whether somebody asks for the derived resource.
    var isWanted: Bool { grant != nil }

    /// Those who ask for the derived resource want it at this interval; nil: it does not matter to them.
    func want(every intervalNanoseconds: Int64?) { wantedNanoseconds = intervalNanoseconds ?? Self.fastestNanoseconds }

    func join(_ source: OwnedResource, to sink: some Sink, _ now: BootTime) {
        let grant = grant(of: source)
        if grant.intervalNanoseconds != self.grant?.intervalNanoseconds { channel.send(.profile(profile(grant))) }
        self.grant = grant
        learnAxes(of: source)
        source.join(client, grant, inheriting: nil, to: sink, now: now)
    }

    func leave(_ source: OwnedResource, to sink: some Sink, _ now: BootTime) {
        grant = nil
        _ = source.leave(client, to: sink, now: now)
    }

    /// Whether the source now grants something other than when this joined it.
    func wantsOtherGrant(of source: OwnedResource) -> Bool { isWanted && grant != self.grant(of: source) }

    /// The source's device is there, and reports along which axes it measures.
    func learnAxes(of source: OwnedResource) { axes = source.core.profile?.axes ?? .device }

    private func grant(of source: OwnedResource) -> Grant {
        var request = Request(resource: source.name)
        request.intervalNanoseconds = wantedNanoseconds
        return Grant(request, within: source.core.limits)
    }

    /// Why nothing follows from most readings of the source; nil: something may follow from any.
    var ground: Indifference.Ground? { hasSpoken ? .unturned(tracker, along: axes) : nil }

    // MARK: as a device

    private var profile: DeviceProfile { profile(nil) }

    /// A derivation looks as often as its source lets it.
    private func profile(_ grant: Grant?) -> DeviceProfile {
        DeviceProfile(
            offered: .range(
                shortestNanoseconds: Self.fastestNanoseconds, longestNanoseconds: Self.slowestNanoseconds),
            intervalNanoseconds: grant?.intervalNanoseconds, description: origin,
            simulated: device.core.isSimulated)
    }

    /// The samples of the source count from 0 again: the old state no longer applies.
    func restart() {
        tracker = unknown
        hasSpoken = false
        intake.restart()
        channel.send(.opened)
    }

    /// Takes readings of the source; sends a sample if what is derived has changed, and always for the first one.
    func take(_ readings: ArraySlice<Sample>) {
        for reading in readings {
            guard let value = Acceleration(reading.measurement) else { continue }
            guard tracker.follow(value, along: axes) || !hasSpoken, let measurement = tracker.measurement else {
                continue
            }
            hasSpoken = true
            intake.append(measurement, at: reading.timestamp)
        }
        channel.send(&intake)
    }

    /// An attempt to use the source failed.
    func fail(_ reason: String) { channel.send(.failed(reason: reason)) }

    /// Passes on the state of the source; if this is not in use it is idle, even if the source is not.
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
