internal import Configuration
internal import Fleet
internal import MQTT
internal import Platform
internal import Spool

/// Messages of the spool on their way to the server, and what follows from its answers.
struct Publisher {
    /// When to try again; nil: not before something happens.
    private(set) var deadline: Int64?
    /// When messages leave together.
    private(set) var gate: BundleGate

    private let writer: SpoolWriter
    private let topics: Topics
    private let journal: Journal
    private let meter: LinkMeter
    private var queue: PublishQueue
    /// The largest packet, and how many messages at once, that the server announced.
    private var packetMaximum: Int?
    private var receiveMaximum: Int?
    /// The messages that are out.
    private var sent: [UInt64: Sending] = [:]
    /// What the server turned out to take, whatever it announced; it may get other settings, so that is tried again later.
    private var learnedPacket: Int?
    private var learnedWindow: Int?
    private var learnedUntil = Int64.min
    private var loggedHolds: Set<String> = []

    /// A message that is out.
    private struct Sending {
        let stream: String
        let largestPacket: Int
        /// What of it the server does not take.
        ///
        /// It is lost when the rest has arrived: until then the whole may be sent again.
        let tooLarge: [Loss]
    }

    /// Standard servers take no more.
    private static let largestPacket = 256 << 20
    private static let smallestPacket = 32
    private static let learnedNanoseconds = 3_600 * Nanoseconds.second
    /// What a message has besides its members: the epoch and the number.
    private static let envelope = 96

    init(_ settings: FleetSettings, _ writer: SpoolWriter, _ topics: Topics, _ journal: Journal, _ meter: LinkMeter) {
        self.writer = writer
        self.topics = topics
        self.journal = journal
        self.meter = meter
        gate = BundleGate(intervalNanoseconds: settings.bundle?.nanoseconds)
        queue = PublishQueue(order: settings.order, speed: settings.backlogSpeed)
    }

    /// The topics that the server does not take at present.
    var heldTopics: [String] { queue.heldTopics.keys.map(\.words).sorted() }

    /// How many messages wait in the spool: neither arrived nor on their way, since answers to those are late (`ReportQueue`).
    var waiting: UInt64 {
        let (backlog, underWay) = (writer.spool.backlog, UInt64(queue.underWay(writer.spool)))
        assert(underWay <= backlog, "what is on its way and has not arrived is in the spool")
        return backlog - min(underWay, backlog)
    }

    /// Whether what comes can leave without an answer of the server.
    var isRoomy: Bool { queue.isRoomy }

    /// A connection is ready.
    mutating func connect(_ now: Moment, receiveMaximum: Int?, packetMaximum: Int?) {
        (self.packetMaximum, self.receiveMaximum) = (packetMaximum, receiveMaximum)
        sent = [:]
        gate.open()
        writer.writeAll(now)
        setLive(now)
        queue.connect(
            now.bootNanoseconds, receiveMaximum: [receiveMaximum, learnedWindow].compactMap(\.self).min(), writer.spool)
    }

    /// The connection has ended: what the server gave as the reason may be about what was out.
    mutating func disconnect(_ refusal: Refusal?, _ now: Moment) {
        switch refusal {
        case .size:
            if let size = sent.values.map(\.largestPacket).max() { learn(packet: size - 1, now.bootNanoseconds) }
        case .window:
            learnedWindow = max(1, queue.inFlight / 2)
            learnedUntil = now.bootNanoseconds + Self.learnedNanoseconds
        default: break
        }
        queue.disconnect()
        writer.setLive(false, now)
        deadline = nil
    }

    private mutating func learn(packet: Int, _ now: Int64) {
        learnedPacket = min(mostPacket ?? .max, max(Self.smallestPacket, packet))
        learnedUntil = now + Self.learnedNanoseconds
    }

    /// The largest packet that the server takes, as far as it is known.
    private var mostPacket: Int? { [packetMaximum, learnedPacket].compactMap(\.self).min() }

    /// Forgets what was learnt long ago, and looks whether it is time for messages to leave together.
    mutating func turn(_ now: Moment) {
        if now.bootNanoseconds >= learnedUntil {
            if learnedWindow != nil { queue.widen(receiveMaximum: receiveMaximum) }
            (learnedPacket, learnedWindow) = (nil, nil)
        }
        if gate.turn(now.bootNanoseconds) { writer.writeAll(now) }
    }

    /// Messages are written and leave one by one, unless they had better leave together.
    private func setLive(_ now: Moment) {
        let isLive = !gate.gathers && meter.isAmple(now)
        if isLive != writer.isLive { writer.setLive(isLive, now) }
    }

    /// Publishes what may leave now.
    mutating func serve(_ now: Moment, _ link: ServerLink) {
        deadline = gate.deadline
        guard deadline == nil else { return }
        while link.isOnline {
            let permit = meter.permit(writer.spool.priorities, now)
            switch queue.next(now.bootNanoseconds, &writer.spool, permit) {
            case .wait(let until):
                setLive(now)
                deadline = until
                if !queue.isFull, !queue.hasBacklog(permit) {
                    gate.close(now.bootNanoseconds)
                    deadline = gate.deadline ?? until
                }
                return
            case .publish(let serial, let route): publish(serial, route, link, now)
            }
        }
    }

    private mutating func publish(_ serial: UInt64, _ route: PublishQueue.Route, _ link: ServerLink, _ now: Moment) {
        guard let spooled = writer.spool.message(at: serial) else {
            return queue.didPublish(serial, route, stream: "", identifiers: [])
        }
        let topic = topics.readings(of: spooled.stream, isLate: route != .live)
        let (parts, tooLarge) = Parts.of(spooled, most: largestPayload(topic))
        assert(!parts.isEmpty || !tooLarge.isEmpty, "what is not sent is reported lost")
        let sending = Sending(
            stream: spooled.stream, largestPacket: parts.map { $0.count + Self.overhead(topic) }.max() ?? 0,
            tooLarge: tooLarge.map { Loss(epoch: spooled.epoch, numbers: $0, cause: .tooLarge) })
        if parts.isEmpty { finish(serial, sending, now) } else { sent[serial] = sending }
        // Answers only make room for others.
        let mayWait = queue.isRoomy
        var identifiers: [Int32] = []
        for part in parts {
            guard let identifier = link.publish(topic, part, mayWait: mayWait) else { return }
            meter.count(topic, part)
            identifiers.append(identifier)
        }
        queue.didPublish(serial, route, stream: spooled.stream, identifiers: identifiers)
    }

    /// What the server takes of a message has arrived.
    private func finish(_ serial: UInt64, _ sending: Sending, _ now: Moment) {
        for loss in sending.tooLarge { writer.spool.lose(loss, of: sending.stream) }
        writer.spool.acknowledge(serial)
        if !sending.tooLarge.isEmpty { writer.spool.reportLosses(now) }
    }

    /// The most bytes of the members of a message that the server takes, as far as it is known.
    func mostBytes(of resource: String) -> Int {
        if mostPacket == nil { return Self.largestPacket }
        return largestPayload(topics.readings(of: resource, isLate: true)) - Self.envelope
    }

    /// The bytes of a payload that fit.
    private func largestPayload(_ topic: String) -> Int {
        max(0, min(mostPacket ?? Self.largestPacket, Self.largestPacket) - Self.overhead(topic))
    }

    /// The topic, and the header with its lengths, identifier and properties.
    private static func overhead(_ topic: String) -> Int { topic.utf8.count + 16 }

    /// The server answered to a message.
    mutating func answered(_ identifier: Int32, _ reason: Int32, _ now: Moment) {
        guard let outcome = queue.answer(identifier, reason: reason, now.bootNanoseconds) else { return }
        switch outcome {
        case .delivered(let serial):
            let sending = sent.removeValue(forKey: serial)
            assert(sending != nil, "what has arrived was out")
            if let sending { finish(serial, sending, now) }
        case .refused(let serial, let topic, let verdict, let reason):
            let sending = sent.removeValue(forKey: serial)
            if verdict == .tooLarge, let sending { learn(packet: sending.largestPacket - 1, now.bootNanoseconds) }
            let words = "the server does not take \(topic.words) now: \(MQTTConnection.reason(reason))"
            guard loggedHolds.insert(words).inserted else { return }
            journal.write(.warning, "\(words); it is kept, and tried again")
        }
    }

    /// Messages that a consumer asks for again; false if too many are waiting.
    mutating func sendAgain(_ serials: [UInt64]) -> Bool { queue.sendAgain(serials) }
}
