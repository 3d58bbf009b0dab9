package import Fleet
internal import Platform
internal import Programs

/// A connection to a server of MQTT, made again whenever it ends: when, with which version, and what an end means.
///
/// A link takes the time as an argument, and the connection's events from whatever `make` returns, so it runs on
/// virtual time. Whoever uses it waits for `socket` until `deadline`, and then calls `turn`.
package final class ServerLink {
    private enum Stage {
        case waiting(until: Int64)
        case connecting(since: Int64)
        case greeting(since: Int64)
        case subscribing(since: Int64, Greeting)
        case online(since: Int64)
    }

    /// Counts connections, so that a loop notices a new socket.
    package private(set) var generation = 0

    private let policy: LinkPolicy
    private let filters: [String]
    private let make: Maker
    /// A number from 0 to 1.
    private let random: () -> Double
    private var plan: ConnectionPlan
    private var stage = Stage.waiting(until: 0)
    private var connection: (any ServerConnection)?
    private var reconnection = Reconnection()
    private var choice: VersionChoice
    /// What came in this turn.
    private var events: [LinkEvent] = []
    /// What was noticed, each of which is reported once.
    private var noticed: Set<LinkNotice> = []
    /// How many subscriptions have no answer.
    private var unanswered = 0
    /// Whether the server keeps messages; else it is not asked to, until it announces that it does, or for an hour.
    private var retains = true
    private var retainDue = Int64.min
    /// Whether the server announces it if it keeps none: it did once.
    private var announcesRetain = false
    private var isForeign = false
    /// Whether the connection failed while a message was sent.
    private var isBroken = false
    /// Whether there may be more to read, even if the socket is not readable.
    private var mayHoldMore = false

    /// A link that connects at its first turn, and subscribes to some topics; `versions` is the version that is set, if one is.
    package init(
        _ plan: ConnectionPlan, versions: ProtocolVersion?, _ policy: LinkPolicy, filters: [String],
        random: @escaping () -> Double = { Double.random(in: 0...1) }, make: @escaping Maker = ConfinedConnection.begun
    ) {
        self.plan = plan
        self.policy = policy
        self.filters = filters
        self.random = random
        self.make = make
        choice = VersionChoice(versions)
    }

    package var server: ServerAddress { plan.server }

    /// The socket to wait for; nil if there is none.
    package var socket: Int32? { connection.flatMap { $0.socket >= 0 ? $0.socket : nil } }

    package var wantsToWrite: Bool { connection?.wantsToWrite ?? false }

    /// Sends what was published, as far as it can be; what is left makes `wantsToWrite` true.
    package func flush() { connection?.flush() }

    /// Whether messages can be sent.
    package var isOnline: Bool { if case .online = stage { !isBroken } else { false } }

    /// When to be called again.
    package func deadline(_ now: Int64) -> Int64 {
        if isBroken || mayHoldMore { return now }
        return switch stage {
        case .waiting(let until): until
        case .connecting(let since), .greeting(let since), .subscribing(let since, _):
            min(since + policy.patienceNanoseconds, connection?.deadline ?? now)
        case .online: connection?.deadline ?? now
        }
    }

    /// Does what is due or has become possible; what happened.
    package func turn(_ now: Int64, isReadable: Bool) -> [LinkEvent] {
        assert(events.isEmpty, "what came in a turn is reported in it")
        defer { events = [] }
        if case .waiting(let until) = stage {
            assert(connection == nil && !isBroken && !mayHoldMore, "whoever waits has no connection")
            if now >= until { connect(now) }
            return events
        }
        assert(connection != nil, "a stage other than waiting has a connection")
        listen(isReadable || isBroken || mayHoldMore, now)
        let patience = policy.patienceNanoseconds
        switch stage {
        // A name server that is silent, or a network that swallows.
        case .connecting(let since) where now - since > patience:
            end("nobody answered within \(patience / Nanoseconds.second) s", .absent, .unreachable, now)
        case .greeting(let since) where now - since > patience, .subscribing(let since, _) where now - since > patience:
            end("the server does not answer", .ended, .unreachable, now)
        case .online(let since) where isBroken:
            end("the connection ended while a message was sent", .ended, .lost(livedNanoseconds: now - since), now)
        case .waiting, .connecting, .greeting, .subscribing, .online: break
        }
        return events
    }

    // MARK: Beginning

    private func connect(_ now: Int64) {
        plan.version = choice.version(now)
        retains = retains || now >= retainDue
        plan.will?.isKept = retains
        do throws(Failure) {
            connection = try make(plan)
            stage = .connecting(since: now)
            generation += 1
        } catch { end(error.description, .unusable(error.status), .refused(.permanent), now) }
    }

    private func greeted(_ greeting: Greeting, _ now: Int64) {
        guard greeting.reason == 0 else { return refused(greeting.reason, now) }
        guard choice.accept() else {
            connection?.disconnect()
            return tryAnother("the server accepts MQTT 3.1.1; 5 is tried once more", .refused(.version), now)
        }
        guard greeting.maximumQoS > 0 || !policy.needsAnswers else {
            let words = "the server takes no messages that it has to acknowledge (Maximum QoS 0)"
            return end(words, .ended, .refused(.permanent), now)
        }
        announcesRetain = announcesRetain || !greeting.retains
        retains = retains || greeting.retains && announcesRetain
        if !greeting.retains { noticeNoRetain(now) }
        unanswered = filters.count
        for filter in filters { connection?.subscribe(filter) }
        guard policy.needsSubscriptions, unanswered > 0 else { return begin(greeting, now) }
        stage = .subscribing(since: now, greeting)
    }

    private func subscribed(_ reason: Int32, _ now: Int64) {
        guard case .subscribing(_, let greeting) = stage else {
            if reason >= 0x80 { notice(.denied, MQTTConnection.reason(reason)) }
            return
        }
        guard reason < 0x80 else {
            let words =
                "the server does not allow \(plan.user ?? "this user") to read \(filters.joined(separator: ", "))"
            return end(words, .subscription, .refused(.credentials), now)
        }
        assert(unanswered > 0, "no subscription is answered twice")
        unanswered -= 1
        if unanswered == 0 { begin(greeting, now) }
    }

    private func begin(_ greeting: Greeting, _ now: Int64) {
        stage = .online(since: now)
        isForeign = false
        events.append(.online(receiveMaximum: greeting.receiveMaximum, packetMaximum: greeting.packetMaximum))
    }

    // MARK: What comes

    private func listen(_ isReadable: Bool, _ now: Int64) {
        let came = connection?.turn(isReadable: isReadable) ?? []
        mayHoldMore = connection?.mayHoldMore ?? false
        for event in came { take(event, now) }
    }

    private func ended(_ ending: ConnectionEnd, _ now: Int64) {
        // An event may have ended it already.
        guard connection != nil else { return }
        switch (stage, ending.cause) {
        case (.online(let since), _): end(ending.words, .ended, .lost(livedNanoseconds: now - since), now)
        case (.subscribing, _), (_, .crashed): end(ending.words, .ended, .unreachable, now)
        case (_, .unreachable): end(ending.words, .absent, .unreachable, now)
        case (_, .settings): end(ending.words, .unusable(.configuration), .refused(.permanent), now)
        case (_, .broken), (_, .encryption): endUnanswered(ending, now)
        }
    }

    private func take(_ event: ServerEvent, _ now: Int64) {
        switch event {
        case .reached: if case .connecting = stage { stage = .greeting(since: now) }
        case .connected(let greeting): if case .greeting = stage { greeted(greeting, now) }
        case .subscribed(let reason): subscribed(reason, now)
        case .disconnected(let reason): disconnected(reason, now)
        case .answered(let identifier, let reason): events.append(.answered(identifier: identifier, reason: reason))
        case .message(let topic, let payload, let isRetained):
            events.append(.message(ServerMessage(topic: topic, payload: payload, isRetained: isRetained)))
        case .ended(let ending): ended(ending, now)
        }
    }

    // MARK: Ending

    /// The server is there, and its connection ended without an answer.
    private func endUnanswered(_ ending: ConnectionEnd, _ now: Int64) {
        var words = ending.words
        if plan.certificate != nil, plan.server.isEncrypted {
            words += " (this is also how a server refuses a client's certificate with TLS 1.3)"
        }
        guard ending.cause == .broken else { return end(words, .ended, .unreachable, now) }
        if plan.version == .five { words += "; if it speaks only MQTT 3.1.1, write Version=3.1.1 under [Server]" }
        guard choice.close(now) else { return end(words, .ended, .unreachable, now) }
        if choice.isCertain { notice(.formerVersion, "closes connections of MQTT 5") }
        tryAnother(words, .unreachable, now)
    }

    private func refused(_ reason: Int32, _ now: Int64) {
        let refusal = Refusal(refusedFor: reason)
        let words = "the server refuses the connection: \(MQTTConnection.reason(reason))"
        if refusal == .retain { noticeNoRetain(now) }
        if refusal == .version, choice.refuse(now) {
            notice(.formerVersion, "speaks only MQTT 3.1.1")
            return tryAnother(words, .refused(.version), now)
        }
        let remedy = refusal == .version && choice.isSet ? "; see Version= under [Server]" : ""
        end(words + remedy, refusal == .credentials ? .credentials : .ended, .refused(refusal), now)
    }

    private func disconnected(_ reason: Int32, _ now: Int64) {
        guard connection != nil else { return }
        var lived: Int64 = 0
        if case .online(let since) = stage { lived = now - since }
        let refusal = Refusal(endedFor: reason)
        if refusal == .retain { noticeNoRetain(now) }
        let words = "the server ended the connection: \(MQTTConnection.reason(reason))"
        end(words, .ended, Reconnection.End(disconnectedFor: refusal, livedNanoseconds: lived), now, refusal)
    }

    /// The next attempt is of another version: at once, where somebody waits for it.
    private func tryAnother(_ words: String, _ end: Reconnection.End, _ now: Int64) {
        guard policy.isAttended else { return self.end(words, .ended, end, now) }
        close()
        stage = .waiting(until: now)
    }

    private func end(
        _ words: String, _ cause: LinkEnd.Cause, _ end: Reconnection.End, _ now: Int64, _ refusal: Refusal? = nil
    ) {
        close()
        let wait = reconnection.wait(after: end, isForeign: isForeign, random: random())
        assert(wait > 0, "a server is not asked again and again")
        stage = .waiting(until: now + min(wait, policy.longestWaitNanoseconds))
        events.append(.ended(LinkEnd(words: words, cause: cause, refusal: refusal, isTwin: reconnection.isTwin)))
    }

    private func close() {
        connection = nil
        (isBroken, mayHoldMore) = (false, false)
    }

    private func noticeNoRetain(_ now: Int64) {
        (retains, retainDue) = (false, now + 3_600 * Nanoseconds.second)
        notice(.retainsNothing, "")
    }

    private func notice(_ notice: LinkNotice, _ words: String) {
        if noticed.insert(notice).inserted { events.append(.noticed(notice, words)) }
    }

    // MARK: Using it

    /// Sends a message; its identifier, nil if the connection has ended, which the next turn reports.
    ///
    /// `isRetained` asks the server to keep it, if it does that; `mayWait`: nobody needs the answer at once.
    package func publish(
        _ topic: String, _ payload: [UInt8], isRetained: Bool = false, mayWait: Bool = false
    ) -> Int32? {
        guard isOnline else { return nil }
        let identifier = connection?.publish(topic, payload, isRetained: isRetained && retains, mayWait: mayWait)
        if identifier == nil { isBroken = true }
        return identifier
    }

    /// Somebody else reports as this host: two programs have the same name.
    package func noticeTwin() { isForeign = true }

    /// Ends the connection in order, and what the server keeps for it.
    package func disconnect() { if isOnline { connection?.disconnect() } }
}

/// What differs between a program that nobody watches, and one for which somebody waits.
package struct LinkPolicy: Sendable {
    /// How long a connection, and an answer to it, may take.
    let patienceNanoseconds: Int64
    /// The longest wait before another attempt.
    let longestWaitNanoseconds: Int64
    /// Whether somebody waits: another version of MQTT is tried at once, without a word.
    let isAttended: Bool
    /// Whether the connection is of use only if all subscriptions are allowed.
    let needsSubscriptions: Bool
    /// Whether the connection is of use only if the server acknowledges messages.
    let needsAnswers: Bool

    /// A publisher's: as patient as a fleet has to be.
    package static let publisher = Self(
        patienceNanoseconds: 30 * Nanoseconds.second, longestWaitNanoseconds: .max, isAttended: false,
        needsSubscriptions: false, needsAnswers: true)
    package static let consumer = Self(
        patienceNanoseconds: 20 * Nanoseconds.second, longestWaitNanoseconds: 5 * Nanoseconds.second,
        isAttended: true, needsSubscriptions: true, needsAnswers: false)
}
