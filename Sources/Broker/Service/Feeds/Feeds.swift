internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// The devices that programs provide, and the programs that provide them.
///
/// One program has a name at a time; the next one gets an error that names the holder. A device stays when its program goes: it
/// is unavailable, and whoever provides the same resources again continues it.
final class Feeds {
    private let catalog: Catalog
    private let server: Server
    private let arrivals: Arrivals
    private let devices: DeviceService
    private let log: RationedJournal
    private let journal: Journal
    private let sink: BrokerSink
    private var policy = FeedPolicy.nothing
    /// Whether the host's own sensors have their names.
    private var hasBegun = false
    private var all: [FedDevice] = []
    /// Whether one of them has sent something that did not come in a turn's reads.
    private let events = LoopFlag()
    /// When the first of them must act without an event, and whether that may have changed.
    private var firstDeadline: BootTime?
    private let newDeadlines = LoopFlag()
    /// Whose names programs have taken, to be given back, and at which input they were.
    private var displaced: [ResourceName: (device: ServedDevice, input: UInt8)] = [:]
    private var pacing = FeedPacing() {
        didSet { pausedUntil = pacing.deadline }
    }
    /// When a program that sends too much may be read again; nil: none does.
    private var pausedUntil: BootTime?

    init(_ context: ServiceContext, _ arrivals: Arrivals, _ devices: DeviceService, _ sink: BrokerSink) {
        catalog = context.catalog
        server = context.server
        log = context.clients.log
        journal = context.journal
        self.arrivals = arrivals
        self.devices = devices
        self.sink = sink
    }

    // MARK: what is configured

    /// Applies a policy from now on: who may no longer provide what it provides is disconnected.
    func configure(_ policy: FeedPolicy, _ now: BootTime) {
        guard policy != self.policy else { return }
        self.policy = policy
        if hasBegun { expect(now) }
        for fed in all { applyRules(to: fed, now) }
    }

    /// A program goes on under other rules, if they let it provide what it provides.
    private func applyRules(to fed: FedDevice, _ now: BootTime) {
        guard let provider = fed.provider else {
            fed.follow(forbidden: fed.names.first { policy[$0] == nil })
            return takeEvents(of: fed, now)
        }
        if let (name, reason) = refusal(of: provider.names, provider.connection) {
            return reject(provider, .notAllowed(name, reason), now)
        }
        var rules = provider.rules
        for (name, former) in provider.rules {
            guard let rule = policy[name], rule.kind == former.kind, rule.isPreferred || !former.isPreferred else {
                return reject(provider, .notAllowed(name, "the section [Feed \(name)] has changed"), now)
            }
            rules[name] = rule
        }
        fed.follow(rules)
        takeEvents(of: fed, now)
    }

    /// Serves what programs may provide, though none does yet, so that clients may come first.
    func begin(_ now: BootTime) {
        hasBegun = true
        expect(now)
    }

    private func expect(_ now: BootTime) {
        var unserved: [ResourceName] = []
        for (name, rule) in policy.all {
            if let index = catalog.index(of: name) {
                guard let reason = conflict(of: rule, with: index) else { continue }
                journal.write(.warning, "[Feed \(name)] is not served: \(reason)")
            } else if catalog.resources.count < Limits.resources, let fed = try? add([(name, rule.kind)], false) {
                fed.device.isVacant = true
                fed.turn(now)
                try? arrivals.serve(fed.resources, by: fed.device, now)
                takeEvents(of: fed, now)
            } else {
                unserved.append(name)
            }
        }
        guard let first = unserved.first else { return }
        let further = unserved.count > 1 ? " and \(unserved.count - 1) further ones are" : " is"
        let reason = catalog.resources.count < Limits.resources ? "no descriptors are left" : fullWords
        journal.write(.warning, "[Feed \(first)]\(further) not served: \(reason)")
    }

    /// Why no resource can be added; those of sections that are gone stay, since clients may have them.
    private var fullWords: String {
        let words = "there are \(Limits.resources) resources already"
        let gone = all.filter { $0.provider == nil }.flatMap(\.names).count { policy[$0] == nil }
        guard gone > 0 else { return words }
        return "\(words), \(gone) of them of sections that are gone: a restart, which ends no stream, makes room"
    }

    /// Why a resource that is there cannot be what a rule requires; nil: it can.
    private func conflict(of rule: FeedPolicy.Rule, with index: ResourceIndex) -> String? {
        let kind = catalog[index].kind
        guard kind != rule.kind else { return nil }
        let isProgram = all.contains { $0.device === catalog.device(of: index) }
        return isProgram
            ? "it is of the kind \(kind.wire) until the broker is restarted"
            : "a sensor of this host has that name, and measures \(kind.wire)"
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

    // MARK: programs come

    /// A program provides resources from now on, as a device of its own.
    func provide(_ offer: FeedOffer, by connection: Connection, _ now: BootTime) throws(VarlinkError) {
        let resources = try admit(offer, connection, now)
        var rules: [ResourceName: FeedPolicy.Rule] = [:]
        for name in offer.names { rules[name] = policy[name] }
        do throws(SystemError) {
            let provider = try Provider(connection, under: rules, now: now)
            let fed = try device(for: resources, offer)
            // What follows from it follows from a device that is there.
            fed.device.isVacant = false
            do throws(SystemError) {
                try takeNames(fed, now)
                try server.watch(provider.descriptor) { [unowned self, unowned fed] now in read(fed, now) }
            } catch {
                vacate(fed, now)
                throw error
            }
            connection.makeBusy()
            fed.begin(provider, offer)
            let names = offer.names.map(\.description).joined(separator: " and ")
            log.write(
                .device(offer.names[0]), .notice,
                "\(provider.words) provides \(names)\(offer.description.map { ": \($0)" } ?? "")", now: now)
            takeEvents(of: fed, now)
            // What came behind the call.
            read(fed, now)
        } catch { throw .notAllowed(offer.names[0], "the broker cannot serve it: \(error)") }
    }

    /// What a program may provide of what it offers: all of it.
    private func admit(
        _ offer: FeedOffer, _ connection: Connection, _ now: BootTime
    ) throws(VarlinkError) -> [(name: ResourceName, kind: Kind)] {
        if let (name, reason) = refusal(of: offer.names, connection) { throw .notAllowed(name, reason) }
        var resources: [(name: ResourceName, kind: Kind)] = []
        for resource in offer.resources {
            guard let rule = policy[resource.name] else { continue }
            if let kind = resource.kind, kind != rule.kind {
                throw .notAllowed(resource.name, "[Feed \(resource.name)] is for the kind \(rule.kind.wire)")
            }
            guard !resources.contains(where: { $0.kind == rule.kind }) else { throw .invalidParameter("resources") }
            try checkFree(resource.name, rule, now)
            resources.append((resource.name, rule.kind))
        }
        let added = resources.count { catalog.index(of: $0.name) == nil }
        guard catalog.resources.count + added <= Limits.resources else {
            throw .notAllowed(offer.names[0], fullWords)
        }
        return resources
    }

    private func checkFree(_ name: ResourceName, _ rule: FeedPolicy.Rule, _ now: BootTime) throws(VarlinkError) {
        guard let index = catalog.index(of: name) else { return }
        if let reason = conflict(of: rule, with: index) { throw .notAllowed(name, reason) }
        let device = catalog.device(of: index)
        if let fed = all.first(where: { $0.device === device }) {
            guard let holder = fed.provider else { return }
            guard holder.hasGone else { throw .nameTaken(name, by: holder.words) }
            // Its end would be dealt with later in this turn, or in the next one if many connections end.
            server.clients.close(holder.connection)
            end(holder.connection.token, now)
            // A sensor of the host may have the name now.
            return try checkFree(name, rule, now)
        }
        guard device.isDerived || device.isAwaited || rule.isPreferred else {
            let holder = catalog[index].core.description ?? "a sensor of this host"
            let state = catalog[index].core.state
            let words = state.reason.map { "\(holder), which is \(state.name) (\($0))" } ?? holder
            throw .nameTaken(name, by: "\(words); to take its place, set Feed=prefer in [Feed \(name)]")
        }
    }

    /// The device that provides just these resources, or a new one.
    private func device(
        for resources: [(name: ResourceName, kind: Kind)], _ offer: FeedOffer
    ) throws(SystemError) -> FedDevice {
        let known = all.first { $0.names == offer.names && $0.device.core.isSimulated == offer.isSimulated }
        if let known { return known }
        return try add(resources, offer.isSimulated)
    }

    private func add(
        _ resources: [(name: ResourceName, kind: Kind)], _ isSimulated: Bool
    ) throws(SystemError) -> FedDevice {
        let fed = try FedDevice(
            resources, isSimulated: isSimulated, seed: .random(in: .min ... .max), eventsOfAll: events,
            newDeadlines: newDeadlines, clock: server.clock)
        try arrivals.begin(inLoop: fed.device) { [unowned self, unowned fed] now in follow(fed, now) }
        all.append(fed)
        return fed
    }

    private func takeNames(_ fed: FedDevice, _ now: BootTime) throws(SystemError) {
        for (name, _) in fed.resources {
            guard let index = catalog.index(of: name) else { continue }
            let device = catalog.device(of: index)
            let isProgram = all.contains { $0.device === device }
            if !device.isAwaited, !isProgram { displaced[name] = (device, catalog[index].quantity.input) }
        }
        try arrivals.serve(fed.resources, by: fed.device, now)
        all = all.filter { $0 === fed || $0.provider != nil || !arrivals.removeEmpty($0.device) }
        newDeadlines.set()
    }

    // MARK: what programs send

    private func read(_ fed: FedDevice, _ now: BootTime) {
        guard let provider = fed.provider, provider.connection.phase != .closing else { return }
        let begin = server.stopwatch()
        let isConnected = provider.receive()
        takeMessages(of: provider, for: fed, now)
        takeEvents(of: fed, now)
        if !isConnected { server.clients.close(provider.connection) }
        let elapsed = server.stopwatch() - begin
        if isConnected, pacing.didTake(elapsed, of: provider.userID, through: provider.descriptor, now: now) {
            server.pause(provider.descriptor)
        }
    }

    private func takeMessages(of provider: Provider, for fed: FedDevice, _ now: BootTime) {
        do throws(FeedFault) {
            while let message = try next(provider) { try fed.take(message) }
        } catch {
            provider.reject()
            switch error {
            case .malformed(let fault):
                log.writeClosing(
                    provider.connection, .malformed(user: provider.userID),
                    "sent a message that is no call: \(fault)", now)
                server.clients.close(provider.connection)
            case .refused(let refusal): reject(provider, refusal, now)
            }
        }
    }

    private func next(_ provider: Provider) throws(FeedFault) -> [UInt8]? {
        do throws(FramingError) { return try provider.next() } catch { throw .refused(.invalidParameter("samples")) }
    }

    private func reject(_ provider: Provider, _ error: VarlinkError, _ now: BootTime) {
        provider.reject()
        provider.connection.reply(error, now: now)
        server.clients.close(provider.connection)
    }

    /// A device has commands.
    private func follow(_ fed: FedDevice, _ now: BootTime) {
        fed.turn(now)
        takeEvents(of: fed, now)
    }

    private func takeEvents(of fed: FedDevice, _ now: BootTime) {
        if fed.device.channel.hasEvents { devices.takeEvents(of: fed.device, to: sink, now) }
    }

    // MARK: programs go

    func end(_ token: ConnectionToken, _ now: BootTime) {
        guard let fed = all.first(where: { $0.provider?.connection.token == token }), let provider = fed.provider else {
            return
        }
        server.unwatch(provider.descriptor)
        takeLast(of: provider, for: fed, now)
        giveBack(fed, now)
        fed.end()
        takeEvents(of: fed, now)
        fed.device.isVacant = true
        arrivals.serveInstead(of: fed.names, now)
        let isLast = !all.contains { $0.provider?.userID == provider.userID }
        pacing.end(provider.descriptor, of: provider.userID, isLast: isLast)
    }

    /// What a program sent before it ended counts: as much as a socket holds.
    private func takeLast(of provider: Provider, for fed: FedDevice, _ now: BootTime) {
        for _ in 0..<Self.mostLastReads where !provider.isRejected {
            let hasMore = provider.receive()
            takeMessages(of: provider, for: fed, now)
            takeEvents(of: fed, now)
            if !hasMore { return }
        }
    }

    private static let mostLastReads = 32

    /// Nobody provides it after all.
    private func vacate(_ fed: FedDevice, _ now: BootTime) {
        giveBack(fed, now)
        fed.device.isVacant = true
    }

    private func giveBack(_ fed: FedDevice, _ now: BootTime) {
        for name in fed.names {
            guard let former = displaced.removeValue(forKey: name) else { continue }
            arrivals.giveBack(name, to: former.device, at: former.input, now)
        }
    }

    /// A sensor of the host has come for a name that a program has: the program gives way if the settings say so.
    func yield(_ name: ResourceName, _ now: BootTime) {
        guard policy[name]?.isPreferred != true,
            let provider = all.first(where: { $0.names.contains(name) && $0.provider != nil })?.provider
        else { return }
        reject(provider, .nameTaken(name, by: "a sensor of this host, which has come"), now)
    }

    // MARK: time

    /// When a device must act without an event, or a program may be read again; nil: never.
    var deadline: BootTime? {
        if newDeadlines.take() { firstDeadline = earliestDeadline }
        assert(firstDeadline == earliestDeadline, "when a program's device must act has changed unnoticed")
        return BootTime.earlier(pausedUntil, firstDeadline)
    }

    private var earliestDeadline: BootTime? { all.lazy.compactMap(\.deadline).min() }

    /// Whether one of them has sent events that were not taken in this turn's reads.
    var hasPending: Bool {
        assert(
            all.allSatisfy { !$0.device.channel.hasEvents || events.isSet && $0.events.isSet },
            "a fed device has sent something unnoticed")
        return events.isSet
    }

    func takeEvents(_ now: BootTime) {
        guard events.take() else { return }
        // What one of them sends meanwhile is noted anew, and taken in the next turn.
        // By index in a span: a loop over the devices would retain each.
        let devices = all
        let span = devices.span
        for index in span.indices where span[index].events.take() { takeEvents(of: span[index], now) }
    }

    func expire(_ now: BootTime) {
        for descriptor in pacing.takeDue(now) {
            do throws(SystemError) { try server.resume(descriptor) } catch {
                // That fails only for lack of memory: it is tried again.
                pacing.pause(descriptor, until: now + Nanoseconds.second)
            }
        }
        for fed in all { if let deadline = fed.deadline, deadline <= now { follow(fed, now) } }
    }
}
