internal import Delivery
public import Devices
public import Platform
internal import Readings

/// Resources that come while the broker runs. None ever goes: one whose device is gone is unavailable, and keeps its place.
extension Broker {
    /// The ways to the devices' threads, of late arrivals too.
    public var channels: [DeviceChannel] { resources.filter { $0.derivation == nil && !$0.isAwaited }.map(\.channel) }

    /// Serves what is announced from now on.
    public func serve(_ arrivals: ResourceArrivals) throws(SystemError) {
        try server.watch(arrivals.wakeDescriptor) { [unowned self] now in
            for arrival in arrivals.take() { serve(arrival, now) }
        }
    }

    private func serve(_ arrival: ResourceArrival, _ now: BootTime) {
        if let index = index(of: arrival.name) { return startAwaited(resources[index], arrival) }
        guard resources.count < Limits.resources else { return refuse(arrival) }
        guard case .device(let start) = arrival.origin else { return }
        do throws(SystemError) {
            let channel = try DeviceChannel()
            try add(
                arrival.name, arrival.kind, channel, isSimulated: arrival.isSimulated, derivation: nil,
                start: start)
        } catch {
            return journal.write(.error, "\(arrival.name) cannot be served: \(error)")
        }
        journal.write(.notice, "serving \(arrival.name)")
        tellListToAll(now)
    }

    /// Clients of the daemon before this one have it already.
    private func startAwaited(_ resource: ServedResource, _ arrival: ResourceArrival) {
        guard resource.isAwaited, resource.core.kind == arrival.kind else { return }
        guard case .device(let start) = arrival.origin else { return }
        do throws(SystemError) { try start(resource.channel) } catch {
            return journal.write(.error, "\(arrival.name) cannot be served: \(error)")
        }
        resource.isAwaited = false
        journal.write(.notice, "serving \(arrival.name) again")
    }

    private func refuse(_ arrival: ResourceArrival) {
        guard !hasRefusedArrival else { return }
        hasRefusedArrival = true
        let words = "there are \(Limits.resources) resources already"
        journal.write(.warning, "\(arrival.name) and further ones are not served: \(words)")
    }
}
