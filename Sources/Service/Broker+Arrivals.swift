internal import Delivery
public import Devices
public import Platform
internal import Readings

/// Resources that come while the broker runs. None ever goes: one whose device is gone is unavailable, and keeps its place.
extension Broker {
    /// The ways to the devices' threads, of late arrivals too.
    public var channels: [DeviceChannel] { devices.filter { !$0.isAwaited }.map(\.channel) }

    /// Serves what is announced from now on.
    public func serve(_ arrivals: ResourceArrivals) throws(SystemError) {
        try server.watch(arrivals.wakeDescriptor) { [unowned self] now in
            for arrival in arrivals.take() { serve(arrival, now) }
        }
    }

    private func serve(_ arrival: ResourceArrival, _ now: BootTime) {
        let known = index(of: arrival.name).map { resources[$0] }
        if let known, !known.device.isAwaited || known.core.kind != arrival.kind { return }
        guard known != nil || resources.count < Limits.resources else { return refuse(arrival) }
        do throws(SystemError) {
            switch arrival.origin {
            case .device(let start): try serve(arrival, known, start)
            case .deviceOf(let other):
                guard serve(arrival, known, ofDeviceOf: other, now) else {
                    let words = "there is no \(other), or its device has one of that kind already"
                    return journal.write(.error, "\(arrival.name) cannot be served: \(words)")
                }
            }
        } catch {
            return journal.write(.error, "\(arrival.name) cannot be served: \(error)")
        }
        // Clients of the daemon before this one have it already.
        journal.write(.notice, "serving \(arrival.name)\(known == nil ? "" : " again")")
        if known == nil { tellListToAll(now) }
    }

    private func serve(
        _ arrival: ResourceArrival, _ known: ServedResource?, _ start: (DeviceChannel) throws(SystemError) -> Void
    ) throws(SystemError) {
        guard let known else {
            let channel = try DeviceChannel()
            return try add(
                arrival.name, arrival.kind, channel, isSimulated: arrival.isSimulated, start: start)
        }
        try start(known.device.channel)
        known.device.isAwaited = false
    }

    private func serve(
        _ arrival: ResourceArrival, _ known: ServedResource?, ofDeviceOf other: ResourceName, _ now: BootTime
    ) -> Bool {
        guard let known else { return add(arrival.name, arrival.kind, ofDeviceOf: other) }
        guard let device = catalog.device(of: other, lacking: arrival.kind) else { return false }
        let awaited = known.device
        device.core.adopt(known.owned)
        known.device = device
        catalog.applyPolicy(to: known)
        releases.apply(to: known)
        if awaited.places.isEmpty { forget(awaited) }
        settle(device, now)
        return true
    }

    private func refuse(_ arrival: ResourceArrival) {
        guard !hasRefusedArrival else { return }
        hasRefusedArrival = true
        let words = "there are \(Limits.resources) resources already"
        journal.write(.warning, "\(arrival.name) and further ones are not served: \(words)")
    }
}
