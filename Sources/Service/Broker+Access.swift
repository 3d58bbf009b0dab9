internal import Admission
internal import Delivery
internal import Platform
public import Readings
internal import Varlink

/// Applies the access policy: to each call, and to all streams when the configuration changes.
extension Broker {
    /// Lets every client read everything, where access is decided elsewhere.
    public func allowEveryone(now: BootTime) { configure(.everyone, now: now) }

    /// The rights of a client.
    func rights(of connection: Connection) -> Rights {
        access.rights(groups: connection.peer.allGroupIDs, isTrusted: connection.peer.isAdministrator)
    }

    /// The place of a resource that a client may read.
    func readable(_ name: String, by connection: Connection) throws(VarlinkError) -> Int {
        guard let index = ResourceName(name).flatMap({ index(of: $0) }) else { throw .noSuchResource(name) }
        guard rights(of: connection).mayRead(resources[index].core.kind) else { throw .permissionDenied }
        return index
    }

    /// Makes grants anew, and ends streams and calls that are no longer allowed.
    func applyAccess(_ now: BootTime) {
        endForbidden(now)
        for index in resources.indices {
            regrant(index)
            settle(resources[index].device, now)
        }
        tellListToAll(now)
    }

    /// Ends streams and calls that are no longer allowed.
    func endForbidden(_ now: BootTime) {
        for subscription in Array(subscriptions.values) {
            let rights = rights(of: subscription.connection)
            if subscription.parts.allSatisfy({ rights.mayRead(resources[$0.resource].core.kind) }) { continue }
            end(subscription, "permissionDenied", now)
        }
        for index in resources.indices {
            refuseReads(index, now) { !rights(of: $0).mayRead(resources[index].core.kind) }
        }
    }
}
