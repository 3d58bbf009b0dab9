internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Spool
internal import Varlink

/// What goes to the server and what comes from it: messages of the spool, texts of which the newest counts, requests.
final class Uplink {
    private let store: Store
    private let topics: Topics
    private let journal: Journal
    private let link: ServerLink
    private let meter: LinkMeter
    private var publishing: Publishing
    private var board = Noticeboard()
    private var desk = ResendDesk()
    /// What is wanted of resources: the newest message of each.
    private var sets: [String: [UInt8]] = [:]
    private let takesSets: Bool
    private let keepsNanoseconds: Int64
    private let resources: Set<String>
    private var statusDue: Int64 = .max
    private var latest = Moment(bootNanoseconds: 0, utcMicroseconds: 0)
    private var loggedNotices: Set<Int32> = []

    /// How long the end may take.
    private static let farewell = 2 * Nanoseconds.second
    private static let statusInterval = 30 * Nanoseconds.second
    /// How many messages are looked for at once.
    private static let mostFound = 1_000

    init(_ settings: FleetSettings, _ store: Store, _ topics: Topics, _ link: ServerLink, _ journal: Journal) {
        self.store = store
        self.topics = topics
        self.journal = journal
        takesSets = settings.allowsRemoteInterval
        keepsNanoseconds = settings.keepAcknowledged.nanoseconds
        resources = Set(settings.readings.map(\.resource))
        self.link = link
        meter = LinkMeter(settings, directory: store.path)
        publishing = Publishing(settings, store, topics, journal, meter)
    }

    /// The socket to wait for; nil if there is none.
    var socket: Int32? { link.socket }

    /// Whether there is something to write.
    var wantsToWrite: Bool { link.wantsToWrite }

    /// Counts connections, so that the loop notices a new socket.
    var generation: Int { link.generation }

    /// Whether messages can be sent.
    var isOnline: Bool { link.isOnline }

    /// The most bytes of the members of a message that the server takes, as far as it is known.
    func mostBytes(of resource: String) -> Int { publishing.mostBytes(of: resource) }

    /// Shows a text on a topic, in the place of what it had.
    func post(_ text: [UInt8], on topic: String, _ now: Int64) { board.put(text, on: topic, now) }

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
        for news in link.turn(now, isReadable: isReadable) { hear(news, moment) }
        guard link.isOnline else { return link.deadline(now) }
        answerRequests(moment)
        publishing.turn(moment)
        if publishing.isLastChance(for: statusDue, now) {
            let text = status(.online, moment)
            board.put(text, on: topics.status, now)
            let bytes = topics.status.utf8.count + text.count
            statusDue = now + meter.statusInterval(bytes: bytes, usual: Self.statusInterval)
        }
        let mayPost = meter.allowsNotices(moment)
        while mayPost, let (topic, text) = board.next(now) {
            guard let identifier = link.publish(topic, text, isRetained: true) else { break }
            board.didPublish(topic, identifier, now)
            meter.count(topic, text)
        }
        publishing.serve(moment, link)
        let deadlines = [mayPost ? board.deadline : nil, desk.deadline, publishing.deadline].compactMap(\.self)
        return sets.isEmpty ? min(link.deadline(now), statusDue, deadlines.min() ?? .max) : now
    }

    private func hear(_ news: LinkNews, _ now: Moment) {
        switch news {
        case .online(let receiveMaximum, let packetMaximum):
            link.subscribe(topics.resend)
            link.subscribe(topics.status)
            if takesSets { link.subscribe(topics.sets) }
            publishing.connect(now, receiveMaximum: receiveMaximum, packetMaximum: packetMaximum)
            board.connect(now.bootNanoseconds)
            statusDue = now.bootNanoseconds
            journal.write(
                .notice,
                "connected to \(link.server) as \(topics.host); \(store.spool.backlog) messages are left",
                .fleetConnected)
        case .answered(let identifier, let reason): answered(identifier, reason, now.bootNanoseconds)
        case .message(let topic, let payload):
            if topic == topics.status {
                noticeStatus(payload)
            } else if topic == topics.resend {
                take(payload)
            } else if takesSets, let resource = topics.resource(ofSet: topic), resources.contains(resource) {
                sets[resource] = payload
            }
        case .ended(let refusal):
            publishing.disconnect(refusal, now)
            desk.clear()
            sets = [:]
        }
    }

    private func answered(_ identifier: Int32, _ reason: Int32, _ now: Int64) {
        guard let topic = board.answer(identifier, reason: reason, now) else {
            return publishing.answered(identifier, reason, now)
        }
        guard reason >= 0x80, loggedNotices.insert(reason).inserted else { return }
        journal.write(.warning, "the server does not take \(topic): \(MQTTConnection.reason(reason))")
    }

    private func status(_ state: HostState, _ now: Moment) -> [UInt8] {
        Wire.status(
            state, epoch: store.spool.epoch, streams: store.streams, clock: store.reading(now),
            backlog: store.spool.backlog, keepsNanoseconds: keepsNanoseconds)
    }

    // MARK: What consumers ask

    private func take(_ payload: [UInt8]) {
        guard let request = ResendRequest(payload), let stream = store.spool.streams.firstIndex(of: request.resource)
        else { return }
        guard request.epoch == store.spool.epoch else {
            return desk.take(request, isKnown: store.spool.holds(request.resource, of: request.epoch))
        }
        // What is still to come is not missing.
        let next = store.spool.nextNumber(of: stream)
        guard request.numbers.lowerBound < next else { return }
        let numbers = request.numbers.lowerBound...min(request.numbers.upperBound, next - 1)
        desk.take(ResendRequest(resource: request.resource, epoch: request.epoch, numbers: numbers), isKnown: true)
    }

    private func answerRequests(_ now: Moment) {
        guard let request = desk.next(now.bootNanoseconds) else { return }
        let found = store.spool.find(
            request.numbers, of: request.resource, epoch: request.epoch, most: Self.mostFound)
        // Too many are waiting: this one goes on waiting too.
        guard publishing.sendAgain(found.places) else { return desk.take(request, isKnown: true) }
        if let rest = found.rest {
            desk.take(
                ResendRequest(resource: request.resource, epoch: request.epoch, numbers: rest), isKnown: true)
        }
        for gone in found.gone where desk.mayTell(now.bootNanoseconds) {
            store.spool.lose(Loss(epoch: request.epoch, numbers: gone, cause: .gone), of: request.resource)
        }
        store.spool.tellLosses(now)
    }

    /// If somebody else reports as this host, two programs have the same name.
    private func noticeStatus(_ payload: [UInt8]) {
        guard case .object(let object)? = try? JSONReader.read(payload),
            case .string(let text)? = object["epoch"], let epoch = Identity(text: text)
        else { return }
        if epoch != store.spool.epoch, !store.spool.recovery.names(epoch) { link.noticeTwin() }
    }

    // MARK: Stopping, and telling

    /// Says goodbye, so that nobody is told that this host is lost.
    func close(_ now: Moment) {
        meter.save()
        guard link.isOnline, let last = link.publish(topics.status, status(.offline, now), isRetained: true) else {
            return
        }
        link.close(after: last, until: now.bootNanoseconds + Self.farewell) { hear($0, now) }
    }

    /// The state in a line.
    var summary: String {
        let backlog = store.spool.backlog
        let left = backlog == 1 ? "1 message" : "\(backlog) messages"
        let held = publishing.heldStreams
        if let complaint = link.complaint { return "Not connected (\(complaint)); \(left) in the spool" }
        if !held.isEmpty { return "Connected; the server does not take \(held.joined(separator: ", ")); \(left) left" }
        let limited = meter.words(latest).map { "; \($0)" } ?? ""
        return "Connected; \(left) left\(limited)"
    }
}
