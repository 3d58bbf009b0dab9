internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Printable
internal import Spool
internal import Varlink

/// What goes to the server and what comes from it: messages of the spool, texts of which the newest counts, requests.
final class Uplink {
    let link: ServerLink
    private let writer: SpoolWriter
    private let topics: Topics
    private let journal: Journal
    private let meter: LinkMeter
    private var publisher: Publisher
    private var retained = RetainedMessages()
    private var resends = ResendQueue()
    /// What is wanted of resources: the newest message of each.
    private var sets: [String: [UInt8]] = [:]
    private let takesSets: Bool
    private let keepsNanoseconds: Int64
    private let resources: Set<String>
    private var statusDue: Int64 = .max
    private var latest = Moment(bootNanoseconds: 0, utcMicroseconds: 0)
    private var loggedRefusals: Set<Int32> = []
    /// Why there is no connection, in words; nil while there is one.
    private var complaint: String? = "not connected yet"
    private var loggedComplaint: String?

    /// How long the end may take.
    private static let farewellNanoseconds = 2 * Nanoseconds.second
    private static let statusNanoseconds = 30 * Nanoseconds.second
    /// How many messages are looked for at once.
    private static let mostFound = 1_000

    init(_ settings: FleetSettings, _ writer: SpoolWriter, _ topics: Topics, _ link: ServerLink, _ journal: Journal) {
        self.writer = writer
        self.topics = topics
        self.journal = journal
        takesSets = settings.allowsRemoteInterval
        keepsNanoseconds = settings.keepAcknowledged.nanoseconds
        resources = Set(settings.readings.map(\.resource))
        self.link = link
        meter = LinkMeter(settings, directory: writer.path)
        publisher = Publisher(settings, writer, topics, journal, meter)
    }

    /// Whether what comes can leave without an answer of the server.
    var isRoomy: Bool { publisher.isRoomy }

    /// The most bytes of the members of a message that the server takes, as far as it is known.
    func mostBytes(of resource: String) -> Int { publisher.mostBytes(of: resource) }

    /// Shows a text on a topic, in the place of what it had.
    func post(_ text: [UInt8], on topic: String, _ now: Int64) { retained.put(text, on: topic, now) }

    /// What is wanted of resources, since the last call.
    func takeSets() -> [String: [UInt8]] {
        defer { sets = [:] }
        return sets
    }

    /// Does what is due or has become possible; when to be called again.
    func turn(_ moment: Moment, isReadable: Bool) -> Int64 {
        let now = moment.bootNanoseconds
        latest = moment
        meter.turn(moment)
        for event in link.turn(now, isReadable: isReadable) { take(event, moment) }
        guard link.isOnline else { return link.deadline(now) }
        answerRequests(moment)
        publisher.turn(moment)
        if publisher.gate.isLastChance(for: statusDue, now) {
            let text = status(.online, moment)
            retained.put(text, on: topics.status, now)
            let bytes = topics.status.utf8.count + text.count
            statusDue = publisher.gate.again(
                now + meter.statusInterval(bytes: bytes, usual: Self.statusNanoseconds), now)
        }
        let mayPost = meter.allowsNotices(moment)
        while mayPost, let (topic, text) = retained.next(now) {
            guard let identifier = link.publish(topic, text, isRetained: true) else { break }
            retained.didPublish(topic, identifier, now)
            meter.count(topic, text)
        }
        publisher.serve(moment, link)
        // At once, and not with the next turn, for which the loop would have to be woken.
        link.flush()
        let deadlines = [mayPost ? retained.deadline : nil, resends.deadline, publisher.deadline].compactMap(\.self)
        // Before the first message nobody takes what was set.
        if !sets.isEmpty, writer.hasBegun { return now }
        return min(link.deadline(now), publisher.gate.chance(for: statusDue), deadlines.min() ?? .max)
    }

    private func take(_ event: LinkEvent, _ now: Moment) {
        switch event {
        case .online(let receiveMaximum, let packetMaximum):
            (complaint, loggedComplaint) = (nil, nil)
            publisher.connect(now, receiveMaximum: receiveMaximum, packetMaximum: packetMaximum)
            retained.connect(now.bootNanoseconds)
            statusDue = now.bootNanoseconds
            journal.write(
                .notice,
                "connected to \(link.server) as \(topics.host); \(writer.spool.backlog.counted("message")) left",
                .fleetConnected)
        case .answered(let identifier, let reason): answered(identifier, reason, now)
        case .message(let message):
            if message.topic == topics.status {
                noticeStatus(message.payload)
            } else if message.topic == topics.resend {
                take(message.payload)
            } else if takesSets, let resource = topics.resource(ofSet: message.topic), resources.contains(resource) {
                sets[resource] = message.payload
            }
        case .noticed(let notice, let words): journal.write(.warning, self.words(notice, words))
        case .ended(let end):
            log(end)
            publisher.disconnect(end.refusal, now)
            resends.clear()
            sets = [:]
        }
    }

    private func answered(_ identifier: Int32, _ reason: Int32, _ now: Moment) {
        guard let topic = retained.answer(identifier, reason: reason, now.bootNanoseconds) else {
            return publisher.answered(identifier, reason, now)
        }
        guard reason >= 0x80, loggedRefusals.insert(reason).inserted else { return }
        journal.write(.warning, "the server does not take \(topic): \(MQTTConnection.reason(reason))")
    }

    private func words(_ notice: LinkNotice, _ words: String) -> String {
        switch notice {
        case .formerVersion:
            "the server \(words), so 3.1.1 is used: it cannot say that it denies a message, and what it denies is lost"
        case .denied:
            "the server does not allow a subscription to \(topics.host)'s topics of requests: \(words); nobody can ask"
        case .retainsNothing:
            "the server keeps no messages (no retain): consumers get the status only while they are connected"
        }
    }

    /// Logs the same only once in a row.
    private func log(_ end: LinkEnd) {
        let words =
            end.isTwin
            ? "client id twice: another program connects as \(topics.host); give each its own Host= in [Topics]"
            : end.cause == .absent ? "the server cannot be reached: \(end.words)" : end.words
        complaint = words
        guard words != loggedComplaint else { return }
        loggedComplaint = words
        journal.write(
            .warning, "not connected to \(link.server): \(words); readings are kept in the spool", .fleetDisconnected,
            [.reason: words])
    }

    private func status(_ state: HostState, _ now: Moment) -> [UInt8] {
        Wire.status(
            state, epoch: writer.spool.epoch, streams: writer.streams, clock: writer.reading(now),
            backlog: publisher.waiting, keepsNanoseconds: keepsNanoseconds)
    }

    // MARK: What consumers ask

    private func take(_ payload: [UInt8]) {
        guard let request = ResendRequest(payload), let stream = writer.spool.streams.firstIndex(of: request.resource)
        else { return }
        guard request.epoch == writer.spool.epoch else {
            return resends.take(request, isKnown: writer.spool.holds(request.resource, of: request.epoch))
        }
        // What is still to come is not missing.
        let next = writer.spool.nextNumber(of: stream)
        guard request.numbers.lowerBound < next else { return }
        let numbers = request.numbers.lowerBound...min(request.numbers.upperBound, next - 1)
        resends.take(ResendRequest(resource: request.resource, epoch: request.epoch, numbers: numbers), isKnown: true)
    }

    private func answerRequests(_ now: Moment) {
        guard let request = resends.next(now.bootNanoseconds) else { return }
        let found = writer.spool.find(
            request.numbers, of: request.resource, epoch: request.epoch, most: Self.mostFound)
        // Too many are waiting: this one goes on waiting too.
        guard publisher.sendAgain(found.serials) else { return resends.take(request, isKnown: true) }
        if let rest = found.rest {
            resends.take(
                ResendRequest(resource: request.resource, epoch: request.epoch, numbers: rest), isKnown: true)
        }
        for gone in found.gone where resends.mayReportLoss(now.bootNanoseconds) {
            writer.spool.lose(Loss(epoch: request.epoch, numbers: gone, cause: .gone), of: request.resource)
        }
        writer.spool.reportLosses(now)
    }

    /// If somebody else reports as this host, two programs have the same name.
    private func noticeStatus(_ payload: [UInt8]) {
        guard case .object(let object)? = try? JSONReader.read(payload), let epoch = object.identity("epoch") else {
            return
        }
        if epoch != writer.spool.epoch, !writer.spool.recovery.names(epoch) { link.noticeTwin() }
    }

    // MARK: Stopping, and the state

    /// Sends the last status and disconnects in order, so that the server does not publish that this host is lost.
    ///
    /// It waits for the answer to the status, but not for long. The library closes the socket as it disconnects: with
    /// an answer unread, the server would get a reset instead of the last packet, and would take the host for lost.
    func close(_ now: Moment) {
        meter.save(now)
        guard link.isOnline, let last = link.publish(topics.status, status(.offline, now), isRetained: true) else {
            return
        }
        let deadline = now.bootNanoseconds + Self.farewellNanoseconds
        var (isAnswered, isReadable) = (false, false)
        while !isAnswered {
            for event in link.turn(Clock.bootNanoseconds(), isReadable: isReadable) {
                if case .answered(last, _) = event { isAnswered = true }
                take(event, now)
            }
            let left = deadline - Clock.bootNanoseconds()
            guard let socket = link.socket, left > 0 else { break }
            isReadable = Wait.untilReadable(socket, nanoseconds: min(left, Nanoseconds.second / 10)).first
        }
        link.disconnect()
    }

    /// The state in a line.
    var summary: String {
        let left = publisher.waiting.counted("message")
        let held = publisher.heldTopics
        if let complaint { return "Not connected (\(complaint)); \(left) in the spool" }
        if !held.isEmpty { return "Connected; the server does not take \(held.joined(separator: ", ")); \(left) left" }
        let limited = meter.words(latest).map { "; \($0)" } ?? ""
        return "Connected; \(left) left\(limited)"
    }
}
