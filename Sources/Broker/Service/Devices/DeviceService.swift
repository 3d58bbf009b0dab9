internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// Serves devices: their events go to delivery, and delivery's demands go to them.
///
/// The service knows when to look at devices: when lanes and reads are due, and whether a thread hangs. It cannot do
/// anything about a hanging thread; no other device is affected.
final class DeviceService {
    private let catalog: Catalog
    private let log: RationedJournal
    private let journal: Journal
    let derivations: Derivations
    let releases: ReleaseService
    /// Finds threads that hang in a driver.
    ///
    /// They report nothing, so they are checked while somebody asks for their devices, and again while they hang.
    private let hangWatch: OverdueWatch
    let busy = BusyDevices()
    /// When somebody last had missing devices looked for.
    private var lastLook: BootTime?
    /// The resources that the journal last reported as unavailable.
    private var missed: Set<ResourceIndex> = []
    private var events: [DeviceEvent] = []

    init(
        _ context: ServiceContext, _ derivations: Derivations, _ releases: ReleaseService, hangNanoseconds: Int64
    ) {
        catalog = context.catalog
        log = context.clients.log
        journal = context.journal
        self.derivations = derivations
        self.releases = releases
        hangWatch = OverdueWatch(limitNanoseconds: hangNanoseconds, repetitions: 2)
    }

    // MARK: events of devices

    /// A device has sent events, and perhaps woken the loop for them.
    func takeEvents(of device: ServedDevice, isSignalled: Bool = false, to sink: BrokerSink, _ now: BootTime) {
        device.channel.take(into: &events, isSignalled: isSignalled)
        reportReturn(device, to: sink, now)
        if feedsSeveral(device) {
            sink.joiningRounds(now) { deliver(device, to: sink, now) }
        } else {
            deliver(device, to: sink, now)
        }
    }

    private func deliver(_ device: ServedDevice, to sink: BrokerSink, _ now: BootTime) {
        device.core.take(events, to: sink, now: now)
        sink.didTakeEvents(of: device.core)
        releases.finish(now)
        takeDerived(to: sink, now)
    }

    /// Whether readings of several resources may follow at once from what a device sends.
    private func feedsSeveral(_ device: ServedDevice) -> Bool {
        let resources = device.core.resources
        for derivation in derivations.all where derivation.isWanted {
            if resources.contains(where: { derivation.position(of: $0.index) != nil }) { return true }
        }
        return resources.count > 1 && resources.count(where: { $0.core.isWanted }) > 1
    }

    /// Whether something follows from what was taken that is not taken yet itself.
    var hasPendingDerived: Bool {
        assert(derivations.events.isSet || !areDerivationsPending, "a derivation has done something unnoticed")
        return derivations.events.isSet
    }

    private var areDerivationsPending: Bool {
        derivations.all.contains { $0.hasPending || $0.device.channel.hasEvents }
    }

    /// Takes what follows from what was taken, in the same turn: whoever wants both is woken once.
    func takeDerived(to sink: BrokerSink, _ now: BootTime) {
        guard derivations.events.take() else { return }
        for derivation in derivations.all {
            derivation.conclude()
            if derivation.device.channel.hasEvents { takeEvents(of: derivation.device, to: sink, now) }
        }
        if areDerivationsPending { derivations.events.set() }
    }

    /// Takes all events that have been sent, first those of devices and then those derived from them.
    func takeAll(to sink: BrokerSink, _ now: BootTime) {
        for device in catalog.devices { takeEvents(of: device, to: sink, now) }
        for derivation in derivations.all {
            derivation.conclude()
            takeEvents(of: derivation.device, to: sink, now)
        }
    }

    /// Takes the samples that the loop was not woken for, so that whoever asks for something now gets the newest.
    func takeQuiet(to sink: BrokerSink, _ now: BootTime) {
        // By index in a span: each turn does this, and a loop over the devices would retain each.
        let quiet = busy.takeQuiet()
        let devices = quiet.span
        for index in devices.indices {
            // Taken as of then: whether a source is silent depends on when its last sample came.
            guard let arrival = devices[index].channel.newestQuiet else { continue }
            takeEvents(of: devices[index], to: sink, min(arrival, now))
        }
    }

    /// Sets for each device which of its samples nobody needs, as clients and readings are now.
    func updateIndifference() { busy.look { derivations[$0].ground } }

    /// A resource's state has changed, and its lanes know it: the journal reports it if somebody must act on it.
    func didChangeState(of resource: OwnedResource, _ now: BootTime) {
        let (name, state) = (resource.name, resource.core.state)
        if case .unavailable(let reason) = state {
            switch catalog.device(of: resource.index).source {
            // What no program provides yet is nobody's fault, and what is derived follows from what is reported.
            case .vacant, .derivation: return
            case .thread, .awaited, .program: break
            }
            missed.insert(resource.index)
            log.write(
                .device(name), .warning, "\(name) is unavailable: \(reason)", .resourceUnavailable,
                [.resource: "\(name)", .reason: reason], now: now)
        } else if state == .active || state == .idle, missed.remove(resource.index) != nil {
            log.write(
                .device(name), .notice, "\(name) is available again", .resourceAvailable, [.resource: "\(name)"],
                now: now)
        }
    }

    // MARK: demands on devices

    /// Sends a device the combined demand for its resources.
    func didChangeDemand(of device: Device, _ now: BootTime) {
        guard let index = device.resources.first?.index else { return }
        let served = catalog.device(of: index)
        served.follow(now)
        guard device.isWanted else { return }
        hangWatch.begin(since: now, now: now)
        busy.add(served)
    }

    /// Works out each device's demand after many changes.
    func settleAll(to sink: BrokerSink, _ now: BootTime) {
        for device in catalog.devices { device.core.settle(to: sink, now: now) }
        for derivation in derivations.all { derivation.device.core.settle(to: sink, now: now) }
    }

    /// Looks again for missing devices, since somebody wants to know which resources there are.
    ///
    /// An idle daemon does not poll for those that nobody has asked for since, so their states may be out of date. It looks at most
    /// once a second: frequent callers must not cause a flood of connects.
    func refreshMissing(_ now: BootTime) {
        guard lastLook.map({ now - $0 >= Nanoseconds.second }) ?? true else { return }
        lastLook = now
        for device in catalog.devices where !device.core.isWanted && device.core.isUnavailable {
            device.channel.request(.probe)
        }
    }

    /// Memory is short: closes devices that are open for nobody at once; those in use stay open.
    func memoryIsShort() {
        let warm = catalog.resources.filter { $0.core.state == .warm }.map { $0.core.name.description }
        // Even if the loop does not know yet that a device is open; the device's thread knows whether it is in use.
        for device in catalog.devices where !device.core.isWanted { device.channel.request(.evict) }
        guard !warm.isEmpty else { return }
        journal.write(.notice, "memory is short: closing \(warm.joined(separator: " and ")), which nobody uses")
    }

    // MARK: time

    /// When the first lane or waiting read is due.
    var deadline: BootTime? {
        assert(
            (catalog.devices + derivations.all.map(\.device)).allSatisfy { device in
                busy.contains(device) || device.deadline == nil
            },
            "something is due of a device for which nobody asks")
        return busy.deadline
    }

    func expire(to sink: BrokerSink, _ now: BootTime) { busy.expire(to: sink, now) }

    /// When to check for hanging threads; nil: nobody waits for any device.
    var hangDeadline: BootTime? { hangWatch.deadline }

    /// How much sooner it may check, in a turn that takes place anyway.
    var hangSlackNanoseconds: Int64 { hangWatch.limitNanoseconds / 4 }

    /// Checks for threads that hang, and for those that have come back.
    func checkHangs(to sink: BrokerSink, _ now: BootTime) {
        guard !hangWatch.putOff(now) else { return }
        let hanging = hangWatch.overdue(among: catalog.devices, now: now) { device in
            let working = device.channel.workingNanoseconds ?? 0
            return device.core.isWanted || working >= hangWatch.limitNanoseconds ? now + -working : nil
        }
        for device in catalog.devices {
            if hanging.contains(where: { $0 === device }) {
                reportHang(device, to: sink, now)
            } else {
                reportReturn(device, to: sink, now)
            }
        }
    }

    private func reportHang(_ device: ServedDevice, to sink: BrokerSink, _ now: BootTime) {
        guard !device.hangs else { return }
        let working = device.channel.workingNanoseconds ?? hangWatch.limitNanoseconds
        let reason =
            "its driver has not returned for \(working / 1_000_000_000) s; readings continue when it does: "
            + "if it does not, unplug the device or restart the broker"
        device.core.hang(reason, to: sink, now: now)
    }

    /// The thread has come back: the state that it reported last holds again.
    private func reportReturn(_ device: ServedDevice, to sink: BrokerSink, _ now: BootTime) {
        guard device.hangs else { return }
        device.core.hang(nil, to: sink, now: now)
    }
}
