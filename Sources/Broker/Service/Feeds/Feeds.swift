internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The programs that provide devices: how they come, go on under other rules, and go.
///
/// One program has a name at a time; the next one gets an error that names the holder. A device stays when its program goes: it
/// is unavailable, and whoever provides the same resources again continues it.
final class Feeds {
    private let catalog: Catalog
    private let server: Server
    private let arrivals: Arrivals
    private let log: RationedJournal
    private let journal: Journal
    private let devices: FedDevices
    private let admission: FeedAdmission
    private let names: TakenNames
    private let reading: FeedReading
    /// Whether the host's own sensors have their names.
    private var hasBegun = false

    init(_ context: ServiceContext, _ arrivals: Arrivals, _ devices: DeviceService, _ sink: BrokerSink) {
        catalog = context.catalog
        server = context.server
        log = context.clients.log
        journal = context.journal
        self.arrivals = arrivals
        self.devices = FedDevices(arrivals, devices, sink, clock: server.clock)
        admission = FeedAdmission(catalog, self.devices)
        names = TakenNames(catalog, arrivals)
        reading = FeedReading(server, self.devices)
    }

    // MARK: what is configured

    /// Applies a policy from now on: who may no longer provide what it provides is disconnected.
    func configure(_ policy: FeedPolicy, _ now: BootTime) {
        guard admission.configure(policy) else { return }
        if hasBegun { expect(now) }
        for fed in devices.all { applyRules(to: fed, now) }
    }

    /// A program goes on under other rules, if they let it provide what it provides.
    private func applyRules(to fed: FedDevice, _ now: BootTime) {
        fed.follow(forbidden: fed.names.first { admission.policy[$0] == nil })
        if let provider = fed.provider {
            do throws(VarlinkError) { fed.follow(try admission.rules(for: provider)) } catch {
                reading.reject(provider, error, now)
            }
        }
        devices.takeEvents(of: fed, now)
    }

    /// Serves what programs may provide, though none does yet, so that clients may come first.
    func begin(_ now: BootTime) {
        hasBegun = true
        expect(now)
    }

    private func expect(_ now: BootTime) {
        var unserved: [ResourceName] = []
        for (name, rule) in admission.policy.all {
            if let index = catalog.index(of: name) {
                guard let reason = admission.conflict(of: rule, with: index) else { continue }
                journal.write(.warning, "[Feed \(name)] is not served: \(reason)")
            } else if catalog.resources.count < Limits.resources,
                let fed = try? devices.add([(name, rule.kind)], false)
            {
                fed.turn(now)
                try? arrivals.serve(fed.resources, by: fed.device, now)
                devices.takeEvents(of: fed, now)
            } else {
                unserved.append(name)
            }
        }
        guard let first = unserved.first else { return }
        let further = unserved.count > 1 ? " and \(unserved.count - 1) further ones are" : " is"
        let reason =
            catalog.resources.count < Limits.resources ? "no descriptors are left" : admission.fullWords
        journal.write(.warning, "[Feed \(first)]\(further) not served: \(reason)")
    }

    // MARK: programs come

    /// A program provides resources from now on, as a device of its own.
    func provide(_ offer: FeedOffer, by connection: Connection, _ now: BootTime) throws(VarlinkError) {
        let resources = try admission.admit(offer, connection) { gone in
            // Its end would be dealt with later in this turn, or in the next one if many connections end.
            server.clients.close(gone.connection)
            end(gone.connection.token, now)
        }
        do throws(SystemError) {
            let provider = try Provider(connection, under: admission.rules(for: offer.names), now: now)
            let fed = try devices.device(for: resources, offer)
            // What follows from it follows from a device that is there.
            fed.device.source = .program
            do throws(SystemError) {
                try names.take(for: fed, among: devices, now)
                devices.removeEmpty(besides: fed)
                try reading.begin(provider, for: fed)
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
            devices.takeEvents(of: fed, now)
            // What came behind the call.
            reading.read(fed, now)
        } catch { throw .notAllowed(offer.names[0], "the broker cannot serve it: \(error)") }
    }

    /// Nobody provides it after all.
    private func vacate(_ fed: FedDevice, _ now: BootTime) {
        names.giveBack(of: fed, now)
        fed.device.source = .vacant
    }

    // MARK: programs go

    /// A connection has ended, through which a program may have provided something.
    func end(_ token: ConnectionToken, _ now: BootTime) {
        guard let fed = devices.provided(through: token), let provider = fed.provider else { return }
        reading.finish(provider, for: fed, now)
        names.giveBack(of: fed, now)
        fed.end()
        devices.takeEvents(of: fed, now)
        fed.device.source = .vacant
        arrivals.serveInstead(of: fed.names, now)
        reading.forget(provider)
    }

    /// A sensor of the host has come for a name that a program has: the program gives way if the settings say so.
    func yield(_ name: ResourceName, _ now: BootTime) {
        guard admission.policy[name]?.isPreferred != true, let provider = devices.provider(of: name) else { return }
        reading.reject(provider, .nameTaken(name, by: "a sensor of this host, which has come"), now)
    }

    // MARK: in each turn

    /// When a device must act without an event, or a program may be read again; nil: never.
    var deadline: BootTime? { BootTime.earlier(reading.deadline, devices.deadline) }

    /// Whether a device has sent events that were not taken in this turn's reads.
    var hasPending: Bool { devices.hasPending }

    func takeEvents(_ now: BootTime) { devices.takeEvents(now) }

    func expire(_ now: BootTime) {
        reading.resume(now)
        devices.expire(now)
    }
}
