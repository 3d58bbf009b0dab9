internal import Delivery
internal import Platform
internal import Readings

/// The names that programs have taken from sensors of the host, to be given back when the programs go.
final class TakenNames {
    private let catalog: Catalog
    private let arrivals: Arrivals
    /// Whose they were, and at which input.
    private var formerOwners: [ResourceName: (device: ServedDevice, input: UInt8)] = [:]

    init(_ catalog: Catalog, _ arrivals: Arrivals) { (self.catalog, self.arrivals) = (catalog, arrivals) }

    /// A program's device has its names from now on, whoever had them, and its resources are served.
    func take(for fed: FedDevice, among devices: FedDevices, _ now: BootTime) throws(SystemError) {
        for (name, _) in fed.resources {
            guard let index = catalog.index(of: name) else { continue }
            let device = catalog.device(of: index)
            if !device.isAwaited, devices[device] == nil {
                formerOwners[name] = (device, catalog[index].quantity.input)
            }
        }
        try arrivals.serve(fed.resources, by: fed.device, now)
    }

    /// Gives those that a program's device has taken back to their former owners.
    func giveBack(of fed: FedDevice, _ now: BootTime) {
        for name in fed.names {
            guard let former = formerOwners.removeValue(forKey: name) else { continue }
            arrivals.giveBack(name, to: former.device, at: former.input, now)
        }
    }
}
