internal import Admission
internal import Delivery
internal import Platform
public import Readings

/// Applies the access policy: to each call, and to all streams when the configuration changes.
extension Broker {
    /// Lets every client read everything, where access is decided elsewhere.
    public func allowEveryone(now: BootTime) { configure(.everyone, now: now) }

    /// Makes grants anew, and ends streams and calls that are no longer allowed.
    func applyAccess(_ now: BootTime) {
        endForbidden(now)
        for index in resources.indices {
            streams.regrant(index)
            settle(resources[index].device, now)
        }
        tellListToAll(now)
    }

    /// Ends streams and calls that are no longer allowed.
    func endForbidden(_ now: BootTime) {
        streams.endForbidden(to: sink, now)
        for index in resources.indices {
            refuseReads(index, now) { !catalog.rights(of: $0).mayRead(resources[index].core.kind) }
        }
    }
}
