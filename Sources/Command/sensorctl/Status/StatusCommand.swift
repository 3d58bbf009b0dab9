internal import BrokerClient
internal import Glibc
internal import Locking
internal import Platform
internal import Programs
internal import Varlink

extension Command {
    static let status = Self(
        name: "status", summary: "Show the devices and the clients of the broker", audience: .administrator,
        options: [.wide, .utc],
        description: [
            "For each client, shows which resources it gets, with interval, batch and filter, and how many readings it lost, by "
                + "cause. A client is a connection, with its process, its user and the time at which it connected. The "
                + "connection of `status` itself is left out. `json` has the names of processes and users as `processName` and "
                + "`userName`; there is no `csv`."
        ],
        examples: [("sudo sensorctl status --wide", "every value")]
    ) { StatusCommand(isWide: $0.has(.wide), isUTC: $0.has(.utc)) }
}

/// `sensorctl status`: shows the devices and the clients of the broker.
struct StatusCommand: Action, Equatable {
    let isWide: Bool
    let isUTC: Bool

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        guard terminal.format != .csv else {
            throw Failure(
                .usage, "status has two tables, devices and clients, so there is no csv: use --format text or json")
        }
        let answer = try broker.admin().call(Interface.getStatus)
        let status = try understand { () throws(VarlinkError) in
            try BrokerStatus(answer, askedBy: Int64(getpid()))
        }
        guard terminal.format == .text else {
            return try terminal.print([JSONFormat.line(Self.object(answer.object, status, .host))])
        }
        // The reasons come from the client socket; without it, the rest is still shown.
        let resources = (try? broker.resources()) ?? []
        let reasons = Dictionary(
            resources.compactMap { item in item.reason.map { (item.name, $0) } }, uniquingKeysWith: { $1 })
        let text = StatusText(
            status: status, reasons: reasons, names: .host, clock: WallClock(isUTC: isUTC),
            style: terminal.style)
        let now = Clock.bootNanoseconds()
        try terminal.print(isWide ? text.wideLines(nowNanoseconds: now) : text.lines(nowNanoseconds: now))
    }

    /// The answer with names that the broker cannot look up: `processName`, `userName`.
    static func object(_ answer: JSONObject, _ status: BrokerStatus, _ names: AccountNames) -> JSONObject {
        let clients = status.clients.map { client in
            var object = client.object
            object.member("processName", names.process(client.processID))
            object.member("userName", names.user(client.userID))
            return JSONValue.object(object)
        }
        return JSONObject(answer.members.map { ($0.key, $0.key == "clients" ? .array(clients) : $0.value) })
    }
}

/// Names of processes and users, which the broker cannot look up: its sandbox hides other processes.
struct AccountNames: Sendable {
    /// The name of a process; nil if it has ended.
    var process: @Sendable (Int64) -> String?
    /// The name of a user; nil if it has none.
    var user: @Sendable (Int64) -> String?

    /// The names that this host knows. `proc(5)`, `getpwuid(3)`
    static let host = Self(
        process: { SmallFile.line(at: "/proc/\($0)/comm") },
        user: { number in
            guard let id = uid_t(exactly: number), let entry = unsafe getpwuid(id) else { return nil }
            return unsafe String(cString: entry.pointee.pw_name)
        })

    /// The same, each looked up once if it stays the same: a user's name may be asked of another host.
    static func cachingHost() -> Self {
        let cache = Locked<[Int64: String?]>([:])
        return Self(
            process: Self.host.process,
            user: { number in
                if let known = cache.withLock({ $0[number] }) { return known }
                let name = Self.host.user(number)
                cache.withLock { $0[number] = .some(name) }
                return name
            })
    }
}
