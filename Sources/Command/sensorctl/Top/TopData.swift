internal import BrokerClient

/// All that the broker has sent, as `top` keeps it.
struct TopData {
    /// What is known of the clients.
    enum Clients {
        /// The administrator's socket has not answered yet.
        case unknown
        /// The user may not see them; why.
        case hidden(String)
        case known([TopClient])
    }

    /// By name.
    private(set) var resources: [TopResource] = []
    private(set) var clients = Clients.unknown
    private(set) var version: String?
    private(set) var startedNanoseconds: Int64?
    /// Why there is no connection to the broker; nil: there is one.
    private(set) var loss: String?
    /// The process of this program.
    let ownProcess: Int64
    let names: AccountNames
    private var former = FormerCounts()

    init(ownProcess: Int64, names: AccountNames) {
        self.ownProcess = ownProcess
        self.names = names
    }

    func resource(_ name: String) -> TopResource? { resources.first { $0.name == name } }

    mutating func take(_ list: [Resource]) {
        loss = nil
        resources = list.sorted { $0.name < $1.name }.map { info in
            guard var known = resource(info.name) else { return TopResource(info) }
            known.take(info)
            return known
        }
    }

    mutating func take(_ update: Update) {
        for info in update.resources { change(info.name) { $0.take(info) } }
        for grant in update.grants { change(grant.resource) { $0.take(grant) } }
        for gap in update.gaps { change(gap.resource) { $0.take(gap) } }
        for reading in update.readings { change(reading.resource) { $0.take(reading) } }
    }

    private mutating func change(_ name: String, _ body: (inout TopResource) -> Void) {
        guard let index = resources.firstIndex(where: { $0.name == name }) else { return }
        body(&resources[index])
    }

    /// The administrator's view.
    mutating func take(_ status: BrokerStatus, nowNanoseconds now: Int64) {
        (version, startedNanoseconds) = (status.version, status.startedNanoseconds)
        let clients = TopClient.all(
            status, names: names, ownProcess: ownProcess, former: former, nowNanoseconds: now)
        var users: [String: Set<Int64>] = [:]
        for client in clients where !client.isOwn {
            if let part = client.part { users[part.resource, default: []].insert(client.id.connection) }
        }
        for index in resources.indices { resources[index].users = users[resources[index].name]?.count ?? 0 }
        for device in status.devices {
            let counted = former.hertz(.device(device.resource), device.samples, nowNanoseconds: now)
            change(device.resource) {
                $0.device = device
                $0.countedHertz = counted
            }
        }
        former.note(status, clients, now)
        self.clients = .known(clients)
    }

    /// The administrator's socket is not for this user.
    mutating func hideClients(_ reason: String) { clients = .hidden(reason) }

    /// The broker has gone; what it sent last stays on the screen.
    mutating func lose(_ reason: String) {
        loss = reason
        clients = .unknown
        former = FormerCounts()
        for index in resources.indices {
            resources[index].interrupt()
            resources[index].users = nil
        }
    }

    /// The broker has gone silent, or answers again.
    mutating func setSilent(_ reason: String?) { loss = reason }

    /// Whether the clients and their rates are known, or never will be.
    var hasClients: Bool {
        switch clients {
        case .unknown: false
        case .hidden: true
        case .known(let all): all.allSatisfy { $0.part == nil || $0.hertz != nil }
        }
    }

    /// Clients without this program.
    var otherClients: [TopClient]? {
        guard case .known(let all) = clients else { return nil }
        return all.filter { !$0.isOwn }
    }
}
