internal import Admission
internal import Delivery
internal import Platform
public import Readings
internal import Varlink

/// Who may read what: asked for each call, and for all streams when the configuration changes.
extension Broker {
    /// Has whoever comes in read everything: where that is decided elsewhere.
    public func allowEveryone(now: BootTime) { configure(.everyone, now: now) }

    /// What a client may read.
    func rights(of connection: Connection) -> Rights {
        access.rights(groups: connection.peer.allGroupIDs, isTrusted: connection.peer.isAdministrator)
    }

    /// The place of a resource that a client may read.
    func readable(_ name: String, by connection: Connection) throws(VarlinkError) -> Int {
        guard let index = ResourceName(name).flatMap({ index(of: $0) }) else { throw .noSuchResource(name) }
        guard rights(of: connection).mayRead(resources[index].core.kind) else { throw .permissionDenied }
        return index
    }

    /// Grants are made anew; what may not be read any more ends.
    func applyAccess(_ now: BootTime) {
        endForbidden(now)
        for index in resources.indices {
            regrant(index)
            settle(resources[index].device, now)
        }
        tellListToAll(now)
    }

    /// What may not be read any more ends.
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
