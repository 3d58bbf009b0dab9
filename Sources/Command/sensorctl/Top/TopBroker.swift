internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs
internal import Varlink

/// The broker as `top` sees it: the list of resources, one stream of all of them, the administrator's view, and what the user
/// has done.
///
/// All of it becomes a part of the model.
/// There is one stream, which `Modify` changes, so that the broker has one more client and nothing else. The status is asked
/// for once a second; less often if there are many clients, since the answer costs the broker something for each of them.
final class TopBroker {
    /// The descriptors that the loop watches.
    enum Token: UInt64 {
        case keys = 1
        case signals, list, stream, status, call
    }

    private static let statusNanoseconds = Nanoseconds.second
    private static let longestStatusNanoseconds = 5 * Nanoseconds.second
    /// For each client of the broker.
    private static let clientNanoseconds: Int64 = 40_000_000
    private static let patienceNanoseconds = 5 * Nanoseconds.second
    private static let hidden = "Only the broker's administrator may see its clients: sudo sensorctl top"

    /// What came in, and what the user looks at.
    var model: TopModel
    private let loop: EventLoop
    private var ready = ReadyList()
    private let broker: Broker
    private let admin: Broker?
    private var list: SocketStream?
    private var stream: SocketStream?
    private var status: SocketStream?
    /// A call that was made because of a key or of a change of the list, and what to do with its answer.
    private var pendingCall: (line: SocketStream, success: String?)?
    private var subscription: String?
    /// What was asked for, by resource, and whether for a page of its own.
    private var asked: [String: (isOpen: Bool, request: Request)] = [:]
    /// The pauses between attempts to connect, as those of `watch`.
    private var backoff = Reconnecting.backoff
    /// When to ask for the status, or to connect again.
    private(set) var deadline: Int64 = 0
    /// Since when the status has not been answered.
    private var askedStatusAt: Int64?
    /// Whether there is one to begin with: the rates of clients are known from the second one on.
    private var hasStatus = false

    init(_ broker: Broker, _ model: TopModel) throws(Failure) {
        do throws(SystemError) { loop = try EventLoop() } catch { throw Self.failure(error) }
        self.broker = broker
        self.model = model
        admin = try? broker.admin()
    }

    /// Has `wait` wait for a descriptor too.
    func watch(_ descriptor: Int32, _ token: Token) {
        // Fails only without memory; then nothing is read from it.
        try? loop.add(descriptor, .read, token: token.rawValue)
    }

    /// Waits until something is ready or an instant comes; what is ready, and whether it has hung up.
    func wait(until instant: Int64) throws(Failure) -> [(token: Token, isHungUp: Bool)] {
        do throws(SystemError) {
            try loop.wait(nanoseconds: max(0, BootClock.nanoseconds(until: instant)), into: &ready)
        } catch { throw Self.failure(error) }
        return ready.compactMap { item in Token(rawValue: item.token).map { ($0, item.isHungUp) } }
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(.unavailable, "cannot wait for the broker: \(error)")
    }

    // MARK: what comes in

    /// Takes what has arrived on a descriptor.
    func read(_ token: Token, now: Int64) {
        do throws(ConnectionFault) {
            switch token {
            case .list: for reply in try list?.replies() ?? [] { takeList(reply) }
            case .stream: for reply in try stream?.replies() ?? [] { takeUpdate(reply) }
            case .status: for reply in try status?.replies() ?? [] { takeStatus(reply, now) }
            case .call: for reply in try pendingCall?.line.replies() ?? [] { takeAnswer(reply) }
            case .keys, .signals: break
            }
        } catch {
            fail(token, error, now)
        }
    }

    private func fail(_ token: Token, _ fault: ConnectionFault, _ now: Int64) {
        switch token {
        case .call:
            model.view.show("The broker closed the connection.")
            pendingCall = nil
        case .status:
            // Without the others it would have gone as a whole.
            status = nil
            askedStatusAt = nil
        default:
            let reason =
                if case .unintelligible(let what) = fault { "not a broker: \(what)" } else {
                    "the broker has gone away"
                }
            lose("\(reason); waiting for it to come back", now)
        }
    }

    private func lose(_ reason: String, _ now: Int64) {
        (list, stream, status, pendingCall, subscription) = (nil, nil, nil, nil, nil)
        (asked, askedStatusAt, hasStatus) = ([:], nil, false)
        deadline = now + backoff.next()
        model.data.lose(reason)
    }

    private func takeList(_ reply: Reply) {
        guard case .success(let parameters, _) = reply, let resources = try? Broker.resources(in: parameters) else {
            return
        }
        backoff.reset()
        model.data.take(resources)
        follow()
    }

    private func takeUpdate(_ reply: Reply) {
        switch reply {
        case .failure(let error):
            model.view.show(broker.failure(for: error).message)
            endStream()
        case .success(let parameters, let continues):
            guard let update = try? Update(parameters) else { return }
            subscription = update.subscription ?? subscription
            model.data.take(update)
            guard !continues else { return }
            model.view.show(Failure.ended(update.ended).message)
            endStream()
        }
    }

    /// The next turn asks for another one: this program may have been stopped for so long that the broker gave it up.
    private func endStream() { (stream, subscription, asked) = (nil, nil, [:]) }

    private func takeStatus(_ reply: Reply, _ now: Int64) {
        askedStatusAt = nil
        guard case .success(let parameters, _) = reply,
            let answer = try? BrokerStatus(parameters, askedBy: model.data.ownProcess)
        else { return model.data.hideClients(Self.hidden) }
        model.data.setSilent(nil)
        model.data.take(answer, nowNanoseconds: now)
        if hasStatus { deadline = max(deadline, now + Self.statusPause(clients: answer.clients.count)) }
        hasStatus = true
    }

    /// The time from a status to the next one: 1 s for up to 25 clients, 2 s for 50, 5 s for 125 and more.
    static func statusPause(clients: Int) -> Int64 {
        min(max(statusNanoseconds, Int64(clients) * clientNanoseconds), longestStatusNanoseconds)
    }

    private func takeAnswer(_ reply: Reply) {
        switch reply {
        case .failure(let error): model.view.show((admin ?? broker).failure(for: error).message)
        case .success: if let success = pendingCall?.success { model.view.show(success) }
        }
        pendingCall = nil
        // What it has changed is seen soon, also if a status is on its way that does not have it yet.
        (deadline, hasStatus) = (0, false)
    }

    // MARK: what goes out

    /// Connects again, or asks for the status, if it is time.
    func turn(now: Int64) {
        guard now >= deadline else { return }
        deadline = now + (list == nil ? backoff.next() : Self.statusNanoseconds)
        if list == nil { list = try? call(Call(Interface.listResources, mode: .more), broker, .list) }
        guard list != nil else { return }
        askStatus(now)
        follow()
    }

    /// Makes a call on a connection of its own, whose replies come under a token.
    private func call(_ call: Call, _ broker: Broker, _ token: Token) throws(ConnectRefusal) -> SocketStream {
        let line = try SocketStream(firstOf: broker.paths, call)
        watch(line.number, token)
        return line
    }

    private func askStatus(_ now: Int64) {
        if let since = askedStatusAt {
            if now - since > Self.patienceNanoseconds {
                model.data.setSilent("the broker does not answer: it is stopped, or very busy")
            }
            return
        }
        guard let admin else { return model.data.hideClients(Self.hidden) }
        let call = Call(Interface.getStatus)
        askedStatusAt = now
        if let status {
            if (try? status.send(call)) == nil { self.status = nil }
            return
        }
        do throws(ConnectRefusal) { status = try self.call(call, admin, .status) } catch {
            askedStatusAt = nil
            model.data.hideClients([EACCES, EPERM].contains(error.error.code) ? Self.hidden : "\(error.error)")
        }
    }

    /// Asks for what the page needs, if that differs from what was asked for.
    func follow() {
        let open = model.view.open
        let changed = model.data.resources.filter { asked[$0.name]?.isOpen != ($0.name == open) }
        let removed = asked.keys.filter { model.data.resource($0) == nil }
        guard !changed.isEmpty || !removed.isEmpty else { return }
        if stream == nil {
            begin(open)
        } else if let subscription, pendingCall == nil {
            modify(subscription, changed, removed, open)
        }
    }

    private func begin(_ open: String?) {
        for resource in model.data.resources { note(resource, open) }
        let requests = asked.values.map { $0.request.json }
        let call = Call(Interface.subscribe, parameters: ["requests": .array(requests)], mode: .more)
        stream = try? self.call(call, broker, .stream)
        if stream == nil { asked = [:] }
    }

    private func note(_ resource: TopResource, _ open: String?) {
        let isOpen = resource.name == open
        asked[resource.name] = (isOpen, resource.request(isOpen: isOpen))
    }

    private func modify(
        _ subscription: String, _ changed: [TopResource], _ removed: [String], _ open: String?
    ) {
        for resource in changed { note(resource, open) }
        for name in removed { asked[name] = nil }
        let requests = changed.compactMap { asked[$0.name]?.request.json }
        let parameters: JSONObject = [
            "subscription": .string(subscription), "requests": .array(requests),
            "remove": .array(removed.map { .string($0) }),
        ]
        send(Call(Interface.modify, parameters: parameters), broker, onSuccess: nil)
    }

    private func send(_ call: Call, _ broker: Broker, onSuccess success: String?) {
        pendingCall = (try? self.call(call, broker, .call)).map { ($0, success) }
    }

    /// Does what the user has confirmed.
    func perform(_ action: TopAction) {
        guard let admin else { return model.view.show(Self.hidden) }
        guard pendingCall == nil else {
            return model.view.show("The broker still works on what you did before: wait a moment.")
        }
        let (method, parameters, success): (String, JSONObject, String)
        switch action {
        case .quit: return
        case .release(let name):
            (method, parameters, success) = (
                AdminInterface.release, ["resource": .string(name)], "\(name) is released."
            )
        case .reacquire(let name):
            (method, parameters, success) = (
                AdminInterface.reacquire, ["resource": .string(name)], "\(name) is taken back."
            )
        case .disconnect(let id):
            (method, parameters, success) = (
                AdminInterface.disconnect, ["id": .integer(id)], "The client is disconnected."
            )
        }
        send(Call(method, parameters: parameters), admin, onSuccess: success)
    }
}
