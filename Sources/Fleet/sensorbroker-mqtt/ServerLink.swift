internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform

/// What a connection to the server tells those who use it.
enum LinkNews {
    /// It is there; what the server announced.
    case online(receiveMaximum: Int?, packetMaximum: Int?)
    /// The server answered to a message.
    case answered(identifier: Int32, reason: Int32)
    /// The server sent a message.
    case message(topic: String, payload: [UInt8])
    /// It has ended; what the server gave as the reason.
    case ended(Refusal?)
}

/// The connection to the server, from its dialling to its end, again and again.
final class ServerLink {
    private enum Stage {
        case waiting(until: Int64)
        case dialling(since: Int64)
        case greeting(since: Int64)
        case online(since: Int64)
    }

    /// A connection that has not begun, by the version and whether the server keeps messages.
    typealias Maker = (ProtocolVersion, Bool) throws(StartFailure) -> any ServerConnection

    /// Why there is no connection, in words; nil while there is one.
    private(set) var complaint: String? = "not connected yet"
    /// Counts connections, so that the loop notices a new socket.
    private(set) var generation = 0

    /// The server's address.
    let server: String

    private let host: String
    private let hasCertificate: Bool
    private let journal: Journal
    private let address: ServerAddress?
    private let make: Maker
    /// A number from 0 to 1.
    private let random: () -> Double
    private var stage = Stage.waiting(until: 0)
    private var connection: (any ServerConnection)?
    private var redial = Redial()
    private var choice: VersionChoice
    private var version = ProtocolVersion.five
    /// Whether the server keeps messages; else it is asked for none of that.
    private var retains = true
    private var hasDenied = false
    private var hasToldVersion = false
    private var isForeign = false
    private var isBroken = false
    /// Whether there may be more to read, whatever the socket says.
    private var mayHoldMore = false
    private var loggedComplaint: String?

    private static let second: Int64 = 1_000_000_000
    /// How long a dial, and a greeting, may take.
    private static let patience = 30 * second
    /// The library has to look at its keepalive.
    private static let pulse = 5 * second

    init(
        _ settings: FleetSettings, host: String, _ journal: Journal,
        random: @escaping () -> Double = { Double.random(in: 0...1) }, make: @escaping Maker
    ) {
        address = settings.server
        server = settings.server?.description ?? ""
        self.host = host
        hasCertificate = settings.certificate != nil
        self.journal = journal
        self.random = random
        self.make = make
        choice = VersionChoice(settings.version)
    }

    /// The socket to wait for; nil if there is none.
    var socket: Int32? {
        guard let number = connection?.socket, number >= 0 else { return nil }
        return number
    }

    /// Whether there is something to write.
    var wantsToWrite: Bool { connection?.wantsToWrite ?? false }

    /// Whether messages can be sent.
    var isOnline: Bool {
        guard case .online = stage else { return false }
        return !isBroken
    }

    /// When to be called again.
    func deadline(_ now: Int64) -> Int64 {
        switch stage {
        case .waiting(let until): until
        case .dialling(let since), .greeting(let since): min(since + Self.patience, now + Self.pulse)
        case .online: isBroken || mayHoldMore ? now : now + Self.pulse
        }
    }

    /// Does what is due or has become possible; what happened.
    func turn(_ now: Int64, isReadable: Bool) -> [LinkNews] {
        switch stage {
        case .waiting(let until):
            guard now >= until else { return [] }
            return dial(now)
        case .dialling(let since), .greeting(let since):
            let news = listen(isReadable || mayHoldMore, now)
            guard now - since > Self.patience else { return news }
            switch stage {
            // A name server that is silent, or a network that swallows.
            case .dialling:
                let words = "the server cannot be reached: nobody answered within \(Self.patience / Self.second) s"
                return news + end(words, .unreachable, now)
            case .greeting: return news + end("the server does not answer", .unreachable, now)
            case .waiting, .online: return news
            }
        case .online(let since):
            let news = listen(isReadable || isBroken || mayHoldMore, now)
            guard isBroken, case .online = stage else { return news }
            let words = "the connection ended while a message was sent"
            return news + end(words, .lost(livedNanoseconds: now - since), now)
        }
    }

    // MARK: Beginning

    private func dial(_ now: Int64) -> [LinkNews] {
        do {
            version = choice.version(now)
            connection = try make(version, retains)
            stage = .dialling(since: now)
            generation += 1
            return []
        } catch {
            return end("\(error)", .refused(.permanent), now)
        }
    }

    private func greeted(_ greeting: Greeting, _ now: Int64) -> [LinkNews] {
        guard greeting.reason == 0 else { return refused(greeting.reason, now) }
        guard choice.accept() else {
            connection?.disconnect()
            return end("the server accepts MQTT 3.1.1; 5 is tried once more", .refused(.version), now)
        }
        guard greeting.maximumQoS > 0 else {
            return end(
                "the server takes no messages that it has to acknowledge (Maximum QoS 0)", .refused(.permanent), now)
        }
        if !greeting.retains { noticeNoRetain() }
        (complaint, loggedComplaint, isForeign) = (nil, nil, false)
        stage = .online(since: now)
        return [.online(receiveMaximum: greeting.receiveMaximum, packetMaximum: greeting.packetMaximum)]
    }

    // MARK: What comes

    private func listen(_ isReadable: Bool, _ now: Int64) -> [LinkNews] {
        let ending = connection?.turn(isReadable: isReadable)
        mayHoldMore = connection?.mayHoldMore ?? false
        var news: [LinkNews] = []
        for event in connection?.takeEvents() ?? [] {
            switch event {
            case .reached: if case .dialling = stage { stage = .greeting(since: now) }
            case .connected(let greeting): if case .greeting = stage { news += greeted(greeting, now) }
            case .subscribed(let reason): if reason >= 0x80 { noticeDenied(reason) }
            case .disconnected(let reason): news += disconnected(reason, now)
            case .answered(let identifier, let reason): news.append(.answered(identifier: identifier, reason: reason))
            case .message(let topic, let payload, _): news.append(.message(topic: topic, payload: payload))
            }
        }
        // An event may have ended it already.
        guard connection != nil, let ending else { return news }
        if case .online(let since) = stage {
            return news + end(ending.words, .lost(livedNanoseconds: now - since), now)
        }
        switch ending.cause {
        case .unreachable: return news + end("the server cannot be reached: " + ending.words, .unreachable, now)
        case .settings: return news + end(ending.words, .refused(.permanent), now)
        case .crashed: return news + end(ending.words, .unreachable, now)
        case .broken, .encryption: return news + unanswered(ending, now)
        }
    }

    /// The server is there, and its connection ended without an answer.
    private func unanswered(_ ending: ConnectionEnd, _ now: Int64) -> [LinkNews] {
        var words = ending.words
        if hasCertificate, address?.isEncrypted == true {
            words += " (this is also how a server refuses a client's certificate with TLS 1.3)"
        }
        if ending.cause == .broken {
            if version == .five { words += "; if it speaks only MQTT 3.1.1, write Version=3.1.1 under [Server]" }
            if choice.close(now), choice.isCertain { noticeFormerVersion("closes connections of MQTT 5") }
        }
        return end(words, .unreachable, now)
    }

    // MARK: Ending

    private func refused(_ reason: Int32, _ now: Int64) -> [LinkNews] {
        let refusal = Refusal(refusedFor: reason)
        var remedy = ""
        if refusal == .version {
            if choice.refuse(now) {
                noticeFormerVersion("speaks only MQTT 3.1.1")
            } else if choice.isSet {
                remedy = "; see Version= under [Server]"
            }
        }
        if refusal == .retain { noticeNoRetain() }
        let words = "the server refuses the connection: \(MQTTConnection.reason(reason))"
        return end(words + remedy, .refused(refusal), now)
    }

    private func disconnected(_ reason: Int32, _ now: Int64) -> [LinkNews] {
        var lived: Int64 = 0
        if case .online(let since) = stage { lived = now - since }
        let refusal = Refusal(endedFor: reason)
        if refusal == .retain { noticeNoRetain() }
        let words = "the server ended the connection: \(MQTTConnection.reason(reason))"
        return end(words, Redial.End(disconnectedFor: refusal, livedNanoseconds: lived), now, refusal)
    }

    private func noticeFormerVersion(_ words: String) {
        guard !hasToldVersion else { return }
        hasToldVersion = true
        journal.write(
            .warning,
            "the server \(words), so 3.1.1 is used: it cannot say that it denies a message, and what it denies is lost"
        )
    }

    private func noticeDenied(_ reason: Int32) {
        guard !hasDenied else { return }
        hasDenied = true
        journal.write(
            .warning,
            "the server does not allow a subscription to \(host)'s topics of requests: \(MQTTConnection.reason(reason)); nobody can ask"
        )
    }

    private func noticeNoRetain() {
        guard retains else { return }
        retains = false
        journal.write(
            .warning,
            "the server keeps no messages (no retain): consumers get the status only while they are connected")
    }

    private func end(_ reason: String, _ end: Redial.End, _ now: Int64, _ refusal: Refusal? = nil) -> [LinkNews] {
        connection = nil
        (isBroken, mayHoldMore) = (false, false)
        let wait = redial.wait(after: end, isForeign: isForeign, random: random())
        stage = .waiting(until: now + wait)
        let words =
            redial.isTwin
            ? "client id twice: another program connects as \(host); give each its own Host= in [Topics]" : reason
        complaint = words
        if words != loggedComplaint {
            loggedComplaint = words
            journal.write(
                .warning, "not connected to \(server): \(words); readings are kept in the spool", .fleetDisconnected,
                [.reason: words])
        }
        return [.ended(refusal)]
    }

    // MARK: Using it

    /// Sends a message; its identifier, nil if the connection has ended, which the next turn tells.
    ///
    /// `isRetained` asks the server to keep it, if it does that.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) -> Int32? {
        guard isOnline else { return nil }
        let identifier = connection?.publish(topic, payload, isRetained: isRetained && retains)
        if identifier == nil { isBroken = true }
        return identifier
    }

    /// Asks for the messages of a topic.
    func subscribe(_ topic: String) { connection?.subscribe(topic) }

    /// Somebody else reports as this host: two programs have the same name.
    func noticeTwin() { isForeign = true }

    /// Ends the connection in order, once the answer to a last message is there, or at an instant.
    ///
    /// The library closes the socket with its goodbye. If an answer were unread then, the server would get a reset instead
    /// of it, and would tell everybody that this host is lost.
    func close(after last: Int32, until deadline: Int64, _ hear: (LinkNews) -> Void) {
        var (isAnswered, isReadable) = (false, false)
        while !isAnswered {
            for news in listen(isReadable, Clock.bootNanoseconds()) {
                if case .answered(last, _) = news { isAnswered = true }
                hear(news)
            }
            let left = deadline - Clock.bootNanoseconds()
            guard let socket, left > 0 else { break }
            isReadable = Wait.untilReadable(socket, nanoseconds: min(left, Self.second / 10)).first
        }
        connection?.disconnect()
    }
}
