internal import BrokerClient
internal import Varlink

/// The state that a program's managers share: listeners, connections, and what is known of the resources.
///
/// Pure: time and input are arguments, and the work to be done is left to the session, which maps the names of listeners, connections
/// and waiters to objects. The parts decide; this passes on what comes, and settles what follows from it.
struct Hub {
    private(set) var broker: KnownBroker
    private(set) var audience: Audience
    private(set) var stream = Stream()
    private var reception = Reception()
    private(set) var watch = ListWatch()
    private var answers = Answers()
    private var ids = IDs()

    /// Creates an empty hub; the seed decides the jitter between attempts.
    init(graceNanoseconds: Int64, seed: UInt64) {
        broker = KnownBroker(seed: seed)
        audience = Audience(graceNanoseconds: graceNanoseconds)
    }

    /// A number that has not been used yet.
    mutating func makeID<Kind>() -> ID<Kind> { ids.next() }

    /// Removes and returns the work to be done.
    mutating func takeActions() -> [HubAction] { broker.actions.take() }

    // MARK: managers and listeners

    /// Counts a new manager or follower of lifecycle events.
    mutating func attach(now: BootTime) {
        watch.attach()
        settle(now)
    }

    /// Removes a manager or follower from the count.
    mutating func detach(now: BootTime) {
        watch.detach()
        settle(now)
    }

    /// Somebody reads the state of a resource: from now on it is kept up to date, also while nothing of it is streamed.
    mutating func lookAt(_ resource: ResourceName, now: BootTime) {
        if watch.lookAt(resource) { settle(now) }
    }

    /// Adds a listener.
    ///
    /// One that lasts does not end when its request fails: it waits for another request, or for `renew`.
    /// What was asked is the program's name for the request, if the broker gets another one.
    mutating func listen(
        _ listener: ListenerID, to request: SensorRequest, asked: SensorRequest? = nil, isLasting: Bool = false,
        now: BootTime
    ) {
        let asked = asked == request ? nil : asked
        audience.listen(listener, to: request, asked: asked, isLasting: isLasting, &broker, now)
        settle(now)
    }

    /// Removes a listener.
    mutating func leave(_ listener: ListenerID, now: BootTime) {
        audience.leave(listener)
        settle(now)
    }

    /// Changes the request of one manager's listeners.
    ///
    /// If nobody else listens to their channel, the channel changes in place. Otherwise they move to another one. An invalid
    /// request does not replace the valid one that they have.
    mutating func change(
        _ group: Set<ListenerID>, to request: SensorRequest, asked: SensorRequest? = nil, now: BootTime
    ) {
        audience.change(group, to: request, asked: asked == request ? nil : asked, &broker, now)
        settle(now)
    }

    /// Has a listener that has stopped listen again: always if it is asked for, else not more than once a second after a
    /// failure.
    mutating func renew(_ listener: ListenerID, isAsked: Bool, now: BootTime) {
        if audience.renew(listener, isAsked: isAsked, &broker, now) { settle(now) }
    }

    /// Closes channels on request or under memory pressure; returns how many.
    mutating func release(_ scope: ReleaseScope, evenInUse: Bool, now: BootTime) -> Int {
        let count = audience.release(scope, evenInUse: evenInUse, &broker, now)
        settle(now)
        return count
    }

    /// Closes all unused channels because the host is short of memory.
    mutating func memoryIsShort(now: BootTime) {
        broker.actions.announce(.memoryPressure(released: release(.all, evenInUse: false, now: now)))
    }

    /// Sends a message to listeners, in order with what the broker sends.
    mutating func send(_ message: ListenerMessage, to listeners: Set<ListenerID>) {
        broker.actions.send(message, to: listeners)
    }

    // MARK: what is known

    /// The newest reading of a resource with these companions, unless it is older than this.
    func newest(
        _ resource: ResourceName, with companions: [ResourceName] = [], maximumAge: Int64?, now: BootTime
    ) -> Measured? {
        guard let measured = broker.newest[resource, companions] else { return nil }
        return now - measured.timestamp <= maximumAge ?? .max ? measured : nil
    }

    /// The state of a resource, as far as this program can know it; nil if it was never known.
    func state(of resource: ResourceName) -> ResourceState? { broker.state(of: resource, audience.channels) }

    /// Why a listener gets nothing; nil if it does, or is about to.
    func failure(of listener: ListenerID) -> SensorError? { audience.failure(of: listener) }

    // MARK: single answers

    /// Adds a reader that wants a reading of at most this age by a deadline.
    mutating func read(
        _ id: ReaderID, _ resource: ResourceName, maximumAge: Int64, timeout: Int64, accuracyMeters: Double?,
        now: BootTime
    ) {
        let reader = Reader(
            resource: resource, since: now + -max(0, maximumAge), deadline: now + max(0, timeout),
            answerBy: now + KnownBroker.replyNanoseconds, accuracyMeters: accuracyMeters)
        answers.read(id, reader, &broker, now)
    }

    /// Removes a reader.
    mutating func cancelRead(_ id: ReaderID, now: BootTime) { answers.cancelRead(id, &broker, now) }

    /// Asks for the list of resources.
    mutating func list(_ waiter: ListerID, now: BootTime) { answers.list(waiter, &broker, now) }

    /// Removes a waiter for the list.
    mutating func cancelList(_ waiter: ListerID) { answers.cancelList(waiter, &broker) }

    // MARK: time

    /// When something is due if nothing happens before.
    var deadline: BootTime? {
        mutating get {
            let retry = BootTime.earlier(broker.link.retryAt, watch.deadline)
            let answer = BootTime.earlier(broker.connections.deadline, answers.deadline)
            let silence = reception.deadline(audience.channels, broker)
            let channel = BootTime.earlier(BootTime.earlier(audience.coldAt, stream.deadline), silence)
            return BootTime.earlier(BootTime.earlier(retry, answer), channel)
        }
    }

    /// Does what is due; what should have come counts as missing only if everything that came until `readUntil` has
    /// been read, and that was too late for it.
    mutating func expire(now: BootTime, readUntil: BootTime) {
        let isCold = audience.coldAt.map { now >= $0 } ?? false
        reception.noteSilence(&audience.channels, &broker, readUntil)
        if let silent = stream.silentConnection(readUntil) { breakOff(silent, .disconnected, now) }
        let unanswered = SensorError.unanswered(seconds: Int(KnownBroker.answerNanoseconds / 1_000_000_000))
        for connection in broker.connections.overdue(readUntil) { breakOff(connection, unanswered, now) }
        answers.expire(now, readUntil: readUntil, &broker)
        var isDue = broker.takeRetry(now: now)
        if watch.takeRetry(now: now) { isDue = true }
        if stream.takeRetries(&audience.channels, now: now) { isDue = true }
        if isDue || isCold { settle(now) }
    }

    /// Opens, changes and closes connections until they carry what is requested.
    private mutating func settle(_ now: BootTime) {
        audience.closeCold(now)
        stream.settle(&audience.channels, &broker, now)
        watch.settle(audience.channels, &broker)
    }

    // MARK: replies

    /// A reply came through a connection.
    mutating func replied(_ connection: ConnectionID, _ reply: Reply, now: BootTime) {
        guard let purpose = broker.connections[connection] else { return }
        switch reply {
        case .success(let parameters, let continues):
            do throws(ConnectionFault) {
                try accept(parameters, continues: continues, connection, purpose, now)
            } catch {
                breakOff(connection, SensorError(error), now)
            }
        case .failure(let error):
            broker.close(connection)
            refused(purpose, SensorError(error), now)
            settle(now)
            answers.settle(&broker, now)
        }
    }

    /// A connection broke or could not be made.
    mutating func lost(_ connection: ConnectionID, _ error: SensorError, now: BootTime) {
        if let purpose = broker.lose(connection) { ended(purpose, error, now) }
    }

    /// Closes a connection that is of no use.
    private mutating func breakOff(_ connection: ConnectionID, _ error: SensorError, _ now: BootTime) {
        if let purpose = broker.close(connection) { ended(purpose, error, now) }
    }

    private mutating func ended(_ purpose: Purpose, _ error: SensorError, _ now: BootTime) {
        switch (purpose, error) {
        // Only the transport itself reports that: it cannot be, and waiting does not help.
        case (.stream, .invalidRequest): stream.fail(error, &audience, &broker, now)
        case (.stream, .unintelligible), (.change, _): stream.giveUp(error, &audience, &broker, now)
        case (.stream, _):
            stream.interrupt(error, &audience, &broker)
            broker.didFail(error, now: now)
        case (.watch, _):
            // Nothing else reports to those who wait for a resource that the broker is away.
            if stream.connection == nil, !audience.channels.awaited.isEmpty {
                stream.interrupt(error, &audience, &broker)
            }
            if case .unintelligible = error {
                watch.hold(error, &broker, now)
            } else {
                broker.didFail(error, now: now)
            }
        case (.read(let resource), _): answers.fail(resource, error, &broker)
        case (.list(let waiter), _): broker.actions.append(.list(waiter, .failure(error)))
        }
        settle(now)
    }

    private mutating func accept(
        _ parameters: Parameters, continues: Bool, _ connection: ConnectionID, _ purpose: Purpose, _ now: BootTime
    ) throws(ConnectionFault) {
        switch purpose {
        case .stream:
            let update = try understand { () throws(VarlinkError) in try Update(parameters) }
            answered(now)
            stream.didReceive(update, now)
            reception.receive(update, stream, &audience.channels, &broker, &answers, now)
            guard !continues else { return stream.settle(&audience.channels, &broker, now) }
            if update.ended == "shutdown" { broker.actions.announce(.brokerShutDown) }
            breakOff(connection, SensorError(ended: update.ended), now)
        case .change(let change):
            answered(now)
            broker.close(connection)
            stream.didChange(change)
            stream.settle(&audience.channels, &broker, now)
        case .read:
            let reading = try understand { () throws(VarlinkError) in
                try BrokerClient.Reading(parameters.object("reading"))
            }
            answered(now)
            broker.close(connection)
            answers.take(reading, &broker, now)
            settle(now)
        case .list(let waiter):
            let list = try resources(in: parameters)
            answered(now)
            broker.close(connection)
            for resource in list { reception.learn(resource, &audience.channels, &broker, now) }
            broker.actions.append(.list(waiter, .success(list)))
        case .watch:
            let list = try resources(in: parameters)
            answered(now)
            watch.didAnswer()
            for resource in list { reception.learn(resource, &audience.channels, &broker, now) }
            let names = Set(list.map(\.name))
            broker.learn(onlyThese: names)
            audience.channels.resume(names)
            settle(now)
            if !continues { breakOff(connection, .disconnected, now) }
        }
    }

    /// The broker gave a valid reply.
    private mutating func answered(_ now: BootTime) { if broker.didAnswer() { settle(now) } }

    private func resources(in parameters: Parameters) throws(ConnectionFault) -> [Resource] {
        try understand { () throws(VarlinkError) in
            try BrokerClient.Resource.all(parameters.objects("resources"))
        }.compactMap { Resource($0) }
    }

    /// Handles an error reply: listeners end if the broker will never accept their request.
    private mutating func refused(_ purpose: Purpose, _ reason: SensorError, _ now: BootTime) {
        switch purpose {
        case .stream: stream.refused(nil, reason, &audience, &broker, now)
        case .change(let change): stream.refused(change, reason, &audience, &broker, now)
        case .read(let resource) where reason == .timedOut: answers.miss(resource, &broker, now)
        case .read(let resource): answers.fail(resource, reason, &broker)
        case .list(let waiter): broker.actions.append(.list(waiter, .failure(reason)))
        case .watch: watch.hold(reason, &broker, now)
        }
    }
}
