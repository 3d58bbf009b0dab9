internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// What programs may provide: by the settings, by the kinds that names have already, and by who has a name now.
final class FeedAdmission {
    private(set) var policy = FeedPolicy.nothing
    private let catalog: Catalog
    private let devices: FedDevices

    init(_ catalog: Catalog, _ devices: FedDevices) { (self.catalog, self.devices) = (catalog, devices) }

    /// Applies a policy from now on; returns whether it is another one.
    func configure(_ policy: FeedPolicy) -> Bool {
        guard policy != self.policy else { return false }
        self.policy = policy
        return true
    }

    // MARK: programs

    /// What a program may provide of what it offers: all of it.
    ///
    /// `endGone` ends a program that has gone, if it still has one of the names.
    func admit(
        _ offer: FeedOffer, _ connection: Connection, endGone: (Provider) -> Void
    ) throws(VarlinkError) -> [(name: ResourceName, kind: Kind)] {
        if let (name, reason) = refusal(of: offer.names, connection) { throw .notAllowed(name, reason) }
        var resources: [(name: ResourceName, kind: Kind)] = []
        for resource in offer.resources {
            guard let rule = policy[resource.name] else { continue }
            if let kind = resource.kind, kind != rule.kind {
                throw .notAllowed(resource.name, "[Feed \(resource.name)] is for the kind \(rule.kind.wire)")
            }
            guard !resources.contains(where: { $0.kind == rule.kind }) else { throw .invalidParameter("resources") }
            try checkFree(resource.name, rule, endGone)
            resources.append((resource.name, rule.kind))
        }
        let added = resources.count { catalog.index(of: $0.name) == nil }
        guard catalog.resources.count + added <= Limits.resources else {
            throw .notAllowed(offer.names[0], fullWords)
        }
        return resources
    }

    func rules(for names: [ResourceName]) -> [ResourceName: FeedPolicy.Rule] {
        var rules: [ResourceName: FeedPolicy.Rule] = [:]
        for name in names { rules[name] = policy[name] }
        return rules
    }

    /// The rules under which a program goes on, if they let it provide what it provides.
    func rules(for provider: Provider) throws(VarlinkError) -> [ResourceName: FeedPolicy.Rule] {
        if let (name, reason) = refusal(of: provider.names, provider.connection) { throw .notAllowed(name, reason) }
        var rules = provider.rules
        for (name, former) in provider.rules {
            guard let rule = policy[name], rule.kind == former.kind, rule.isPreferred || !former.isPreferred else {
                throw .notAllowed(name, "the section [Feed \(name)] has changed")
            }
            rules[name] = rule
        }
        return rules
    }

    private func refusal(of names: [ResourceName], _ connection: Connection) -> (ResourceName, String)? {
        for name in names { if let reason = refusal(of: name, connection) { return (name, reason) } }
        return nil
    }

    private func refusal(of name: ResourceName, _ connection: Connection) -> String? {
        guard let rule = policy[name] else {
            return switch Kind(resource: name.word)?.isProvidable {
            case true?: "the broker's configuration has no section [Feed \(name)]; add one, and reload it"
            case false?: "an orientation follows from an accelerometer: provide that"
            case nil: "there is no kind '\(name.word)': name it after its kind, such as accelerometer:arm"
            }
        }
        let peer = connection.peer
        guard
            peer.isAdministrator || rule.userIDs.contains(peer.userID)
                || !rule.groupIDs.isDisjoint(with: peer.allGroupIDs)
        else { return "user \(peer.userID) is neither in Users= nor in Groups= of the section [Feed \(name)]" }
        return nil
    }

    // MARK: names

    /// Why a resource that is there cannot be what a rule requires; nil: it can.
    func conflict(of rule: FeedPolicy.Rule, with index: ResourceIndex) -> String? {
        let kind = catalog[index].kind
        guard kind != rule.kind else { return nil }
        return devices[catalog.device(of: index)] != nil
            ? "it is of the kind \(kind.wire) until the broker is restarted"
            : "a sensor of this host has that name, and measures \(kind.wire)"
    }

    /// Why no resource can be added; those of sections that are gone stay, since clients may have them.
    var fullWords: String {
        let words = "there are \(Limits.resources) resources already"
        let gone = devices.all.filter { $0.provider == nil }.flatMap(\.names).count { policy[$0] == nil }
        guard gone > 0 else { return words }
        return "\(words), \(gone) of them of sections that are gone: a restart, which ends no stream, makes room"
    }

    private func checkFree(
        _ name: ResourceName, _ rule: FeedPolicy.Rule, _ endGone: (Provider) -> Void
    ) throws(VarlinkError) {
        guard let index = catalog.index(of: name) else { return }
        if let reason = conflict(of: rule, with: index) { throw .notAllowed(name, reason) }
        let device = catalog.device(of: index)
        if let fed = devices[device] {
            guard let holder = fed.provider else { return }
            guard holder.hasGone else { throw .nameTaken(name, by: holder.words) }
            endGone(holder)
            // A sensor of the host may have the name now.
            return try checkFree(name, rule, endGone)
        }
        guard device.isDerived || device.isAwaited || rule.isPreferred else {
            let holder = catalog[index].core.description ?? "a sensor of this host"
            let state = catalog[index].core.state
            let words = state.reason.map { "\(holder), which is \(state.name) (\($0))" } ?? holder
            throw .nameTaken(name, by: "\(words); to take its place, set Feed=prefer in [Feed \(name)]")
        }
    }
}
