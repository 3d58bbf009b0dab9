internal import Delivery
internal import Readings

/// The devices for which somebody asks, or did a moment ago: of the others nothing is due.
///
/// Each turn goes through all of them; one that has not changed only gives what its last look kept (`ServedDevice.look`).
final class BusyDevices {
    // Only assigned, as in the catalog. Loops go by index in a span: a loop over the devices would retain each.
    private(set) var all: [ServedDevice] = []

    /// Somebody asks for a device.
    func add(_ device: ServedDevice) {
        if !all.contains(where: { $0 === device }) { all = all.adding(device) }
    }

    /// Looks at those that have changed, and forgets those for which nobody asks any more.
    func look(_ derived: (DerivationIndex) -> Indifference.Ground?) {
        let served = all
        let devices = served.span
        var areAllBusy = true
        for index in devices.indices {
            guard devices[index].core.hasChanged else {
                assert(devices[index].isUpToDate(derived), "from which samples nothing follows has changed unnoticed")
                continue
            }
            devices[index].look(derived)
            if !devices[index].isBusy { areAllBusy = false }
        }
        if !areAllBusy { all = all.filter(\.isBusy) }
    }

    /// When the first lane or waiting read is due; nil: none is.
    var deadline: BootTime? {
        var earliest: BootTime?
        let served = all
        let devices = served.span
        for index in devices.indices { earliest = BootTime.earlier(earliest, devices[index].deadline) }
        return earliest
    }

    /// Handles lanes and waiting reads that are due.
    func expire(to sink: BrokerSink, _ now: BootTime) {
        let served = all
        let devices = served.span
        for index in devices.indices where devices[index].mayBeDue(now) {
            devices[index].core.expire(to: sink, now: now)
        }
    }
}
