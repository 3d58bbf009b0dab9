internal import Varlink

/// The broker as a program knows it: whether it answers, the connections to it, and what is known of its resources.
///
/// What a part of the hub wants to be done is left in `actions`.
struct KnownBroker {
    /// How long the broker may take to answer a call that it need not wait for.
    static let answerNanoseconds: Int64 = 15_000_000_000
    /// How long it may take where somebody waits for what it has at once.
    static let replyNanoseconds: Int64 = 1_000_000_000

    private(set) var link: Link
    private(set) var connections = Connections()
    private(set) var resources = ResourceList()
    private(set) var newest = NewestReadings()
    /// The work to be done.
    var actions = HubActions()
    private var ids = IDs()

    /// A broker of which nothing is known; the seed decides the jitter between attempts.
    init(seed: UInt64) { link = Link(seed: seed) }

    /// Opens a connection for a call; by an instant, a healthy broker answers.
    mutating func open(_ purpose: Purpose, _ call: Call, answerBy: BootTime? = nil) -> ConnectionID {
        let id: ConnectionID = ids.next()
        connections.add(id, for: purpose, answerBy: answerBy)
        actions.append(.open(id, call))
        return id
    }

    /// Closes a connection; returns what it was for, or nil if it was gone already.
    @discardableResult
    mutating func close(_ connection: ConnectionID) -> Purpose? {
        guard let purpose = connections.remove(connection) else { return nil }
        actions.append(.close(connection))
        return purpose
    }

    /// A connection broke, or could not be made; returns what it was for, or nil if it was closed before.
    mutating func lose(_ connection: ConnectionID) -> Purpose? { connections.remove(connection) }

    /// The broker gave a valid reply; true if it did not answer before.
    ///
    /// An error does not count: a refused client must not ask more often because of it.
    mutating func didAnswer() -> Bool {
        guard link.didAnswer() else { return false }
        actions.announce(.connected)
        return true
    }

    /// The broker does not answer: all connections wait before they are made again.
    mutating func didFail(_ error: SensorError, now: BootTime) {
        resources.forgetAbsences()
        guard let wait = link.didFail(error, now: now) else { return }
        if link.failures == 1 {
            announceIfNotPermitted(error)
            actions.announce(.disconnected(error))
        }
        actions.announce(.reconnecting(after: .nanoseconds(wait), attempt: link.failures))
    }

    /// True once when the time to try again has come.
    mutating func takeRetry(now: BootTime) -> Bool { link.takeRetry(now: now) }

    /// Has a refused request wait; returns for how long.
    mutating func hold(_ retry: inout Retry, now: BootTime) -> Int64 { retry.hold(now: now, using: &link.generator) }

    /// Announces to followers that this user may not do something, if that is the error.
    mutating func announceIfNotPermitted(_ error: SensorError) {
        if case .notPermitted = error { actions.announce(.permissionLost(error)) }
    }

    /// Takes in what the broker reports of a resource; false if nothing of it is new.
    mutating func learn(_ resource: Resource) -> Bool {
        newest.learn(resource)
        guard resources.learn(resource) else { return false }
        actions.announce(.resource(resource))
        return true
    }

    /// Takes in that the broker has these resources and no others.
    mutating func learn(onlyThese names: Set<ResourceName>) {
        for gone in resources.learn(onlyThese: names) { announceAbsence(of: gone) }
        for name in Array(newest.resources) where !names.contains(name) { newest.forget(name) }
    }

    /// Takes in that the broker does not have a resource.
    mutating func learnAbsence(of name: ResourceName) {
        newest.forget(name)
        if let gone = resources.learnAbsence(of: name) { announceAbsence(of: gone) }
    }

    mutating func learn(_ gap: Gap) { newest.learn(gap) }

    /// Keeps a measurement from any connection.
    mutating func keep(_ measured: Measured) { newest.keep(measured, of: resources[measured.resource]) }

    /// The state of a resource, as far as a program with these channels can know it; nil if it was never known.
    func state(of resource: ResourceName, _ channels: Channels) -> ResourceState? {
        guard let known = resources[resource]?.state else {
            return absence(of: resource, channels).map { .unavailable(reason: "\($0)") }
        }
        if let error = link.error { return .stale(reason: "\(error)") }
        let concerned = channels.of(resource)
        if let silent = concerned.first(where: \.silence.isSilent) { return .stale(reason: silent.silentReason) }
        // A program that has too many requests may have one that is carried out beside one that is refused.
        if concerned.contains(where: \.isInterrupted), !concerned.contains(where: { $0.grant != nil }) {
            let fault = concerned.compactMap(\.fault).first
            return .stale(reason: fault.map { "\($0)" } ?? "its stream is interrupted, and is being renewed")
        }
        return known
    }

    /// Why nothing is known of a resource; nil: it has not been asked for, or not been answered yet.
    private func absence(of resource: ResourceName, _ channels: Channels) -> SensorError? {
        if let error = link.error { return error }
        if resources.isAbsent(resource) { return .noSuchResource(resource) }
        return channels.of(resource).compactMap(\.fault).first
    }

    private mutating func announceAbsence(of gone: Resource) {
        var gone = gone
        gone.state = .unavailable(reason: "\(SensorError.noSuchResource(gone.name))")
        actions.announce(.resource(gone))
    }
}
