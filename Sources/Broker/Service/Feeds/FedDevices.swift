internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// The devices that programs provide: their events are taken in the loop, and they act when something is due.
final class FedDevices {
    /// Those that programs provide now, and those that wait for a program.
    private(set) var all: [FedDevice] = []
    private let arrivals: Arrivals
    private let devices: DeviceService
    private let sink: BrokerSink
    private let clock: () -> BootTime
    /// Whether one of them has sent something that did not come in a turn's reads.
    private let events = LoopFlag()
    /// When each must act without an event, by its place, and of which that may have changed.
    private var deadlines = Deadlines()
    private let newDeadlines = ChangedDevices()

    init(_ arrivals: Arrivals, _ devices: DeviceService, _ sink: BrokerSink, clock: @escaping () -> BootTime) {
        self.arrivals = arrivals
        self.devices = devices
        self.sink = sink
        self.clock = clock
    }

    // MARK: which there are

    /// The one that is served as a device; nil: that device is no program's.
    subscript(device: ServedDevice) -> FedDevice? { all.first { $0.device === device } }

    /// The one that a program provides through a connection.
    func provided(through connection: ConnectionToken) -> FedDevice? {
        all.first { $0.provider?.connection.token == connection }
    }

    func provider(of name: ResourceName) -> Provider? {
        all.first { $0.names.contains(name) && $0.provider != nil }?.provider
    }

    func areProvided(by userID: UInt32) -> Bool { all.contains { $0.provider?.userID == userID } }

    /// The device that provides just these resources, or a new one.
    func device(
        for resources: [(name: ResourceName, kind: Kind)], _ offer: FeedOffer
    ) throws(SystemError) -> FedDevice {
        let known = all.first { $0.names == offer.names && $0.device.core.isSimulated == offer.isSimulated }
        if let known { return known }
        return try add(resources, offer.isSimulated)
    }

    /// Adds one that no program provides yet; throws if the process is out of descriptors.
    func add(_ resources: [(name: ResourceName, kind: Kind)], _ isSimulated: Bool) throws(SystemError) -> FedDevice {
        let fed = try FedDevice(
            resources, isSimulated: isSimulated, seed: .random(in: .min ... .max), eventsOfAll: events,
            clock: clock)
        try arrivals.begin(inLoop: fed.device) { [unowned self, unowned fed] now in follow(fed, now) }
        all.append(fed)
        fed.newDeadline.belong(to: newDeadlines, at: all.count - 1)
        return fed
    }

    /// Removes those that no program provides and whose resources are all another's, besides a certain one.
    func removeEmpty(besides fed: FedDevice) {
        let remaining = all.filter { $0 === fed || $0.provider != nil || !arrivals.removeEmpty($0.device) }
        guard remaining.count < all.count else { return }
        all = remaining
        deadlines.removeAll()
        _ = newDeadlines.take()
        for (place, fed) in all.enumerated() {
            fed.newDeadline.belong(to: newDeadlines, at: place)
            fed.newDeadline.set()
        }
    }

    // MARK: their events

    func takeEvents(of fed: FedDevice, _ now: BootTime) {
        if fed.device.channel.hasEvents { devices.takeEvents(of: fed.device, to: sink, now) }
    }

    /// Whether one of them has sent events that were not taken in this turn's reads.
    var hasPending: Bool {
        assert(
            all.allSatisfy { !$0.device.channel.hasEvents || events.isSet && $0.events.isSet },
            "a fed device has sent something unnoticed")
        return events.isSet
    }

    /// Takes the events that did not come in this turn's reads.
    func takeEvents(_ now: BootTime) {
        guard events.take() else { return }
        // What one of them sends meanwhile sets the flag again, and is taken in the next turn.
        // By index in a span: a loop over the devices would retain each.
        let devices = all
        let span = devices.span
        for index in span.indices where span[index].events.take() { takeEvents(of: span[index], now) }
    }

    /// A device has commands, or must act.
    private func follow(_ fed: FedDevice, _ now: BootTime) {
        fed.turn(now)
        takeEvents(of: fed, now)
    }

    // MARK: time

    /// When one of them must act without an event; nil: never.
    var deadline: BootTime? {
        for place in newDeadlines.take() {
            all[place].newDeadline.clear()
            deadlines.set(all[place].deadline, of: place)
        }
        let earliest = deadlines.first?.instant
        assert(
            earliest == all.lazy.compactMap(\.deadline).min(), "when a program's device must act has changed unnoticed")
        return earliest
    }

    func expire(_ now: BootTime) {
        for fed in all { if let deadline = fed.deadline, deadline <= now { follow(fed, now) } }
    }
}
