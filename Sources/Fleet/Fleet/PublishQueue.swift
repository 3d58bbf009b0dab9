public import Spool

/// Where a queue takes messages from: a spool.
public protocol PublishSource {
    /// The serials of each lane, from its oldest message to the one after its newest; what leaves first comes first.
    var lanes: [Range<UInt64>] { get }
    /// Whether the message at a serial has arrived, or is gone.
    func isAcknowledged(_ serial: UInt64) -> Bool
    /// The first serial of its lane from one on that is not acknowledged; the lane's end if there is none.
    func firstUnacknowledged(from serial: UInt64) -> UInt64
    /// The message at a serial, before it is sent; nil if it is not there.
    mutating func pending(at serial: UInt64) -> PendingMessage?
}

/// What decides when a message leaves.
public struct PendingMessage: Equatable, Sendable {
    /// The message's stream.
    public let stream: String
    /// CLOCK_BOOTTIME of when it was written.
    public let bootNanoseconds: Int64
}

extension PrioritySpool: PublishSource {
    /// The message at a serial, before it is sent; nil if it is not there.
    public mutating func pending(at serial: UInt64) -> PendingMessage? {
        message(at: serial).map { PendingMessage(stream: $0.stream, bootNanoseconds: $0.bootNanoseconds) }
    }
}

/// Decides what is published next, and what follows from the server's answers.
///
/// What is new goes first; what is left from before, oldest first, and what was asked for again follow in turn, each at a
/// bounded pace. A message that is refused stays where it is and is tried again later.
public struct PublishQueue {
    /// How a message goes out.
    public enum Route: Equatable, Sendable {
        /// As it comes.
        case live
        /// Left from before.
        case late
        /// Asked for again.
        case again
    }

    /// What to do next.
    public enum Step: Equatable, Sendable {
        /// Publish the message at a serial.
        case publish(UInt64, Route)
        /// Nothing before this instant, unless something happens; nil: until something happens.
        case wait(until: Int64?)
    }

    /// What an answer means for a message.
    public enum Outcome: Equatable, Sendable {
        /// The message has arrived.
        case delivered(UInt64)
        /// The server does not take it now, on this topic; why, by the code of its reason.
        case refused(UInt64, HeldTopic, Verdict, reason: Int32)
    }

    /// The messages of one priority.
    private struct Lane {
        /// What was not acknowledged when the connection began.
        let first: UInt64
        var liveNext: UInt64
        var late: Range<UInt64>
    }

    private struct Unanswered {
        let topic: HeldTopic
        var parts: Int
        var refusal: (verdict: Verdict, reason: Int32)?
    }

    private let order: Order
    private let mostInFlight: Int
    private var window = 0
    private var mostWindow = 0
    /// What leaves first comes first.
    private var lanes: [Lane] = []
    private var unanswered: [UInt64: Unanswered] = [:]
    private var serials: [Int32: UInt64] = [:]
    private var again: [UInt64] = []
    /// Whether what was asked for again has its turn before what is left.
    private var isAgainFirst = true
    private var held = HeldTopics()
    private var pace: BacklogPace
    private var againPace: BacklogPace
    private var pause = ServerPause()
    private var deliveredSinceGrowth = 0

    /// How many messages may wait to be sent again.
    private static let mostAgain = 10_000

    /// A queue without a connection.
    ///
    /// `speed` is recorded time for real time; nil: no bound.
    public init(order: Order, speed: Double?, mostInFlight: Int = 100) {
        self.order = order
        self.mostInFlight = mostInFlight
        pace = BacklogPace(speed: speed)
        againPace = BacklogPace(speed: speed)
    }

    /// How many messages are out without an answer.
    public var inFlight: Int { serials.count }

    /// How many messages are on their way that have not arrived before.
    public func underWay(_ source: some PublishSource) -> Int { unanswered.keys.count { !source.isAcknowledged($0) } }

    /// Whether more could leave if there were fewer out.
    public var isFull: Bool { inFlight >= window }

    /// Whether, with one more out, as many can follow: answers are not needed at once.
    public var isRoomy: Bool { (inFlight + 1) * 2 <= window }

    /// Whether something waits that is not new.
    public func hasBacklog(_ permit: SendPermit) -> Bool {
        !(again.isEmpty || permit.holdsAgain)
            || lanes.indices.contains { !lanes[$0].late.isEmpty && permit.allowsBacklog($0) }
    }

    /// A connection is ready; `receiveMaximum` is the server's.
    public mutating func connect(_ now: Int64, receiveMaximum: Int?, _ source: some PublishSource) {
        disconnect()
        widen(receiveMaximum: receiveMaximum)
        window = mostWindow
        lanes = source.lanes.map { lane in
            let oldest = source.firstUnacknowledged(from: lane.lowerBound)
            return order == .live
                ? Lane(first: oldest, liveNext: lane.upperBound, late: oldest..<lane.upperBound)
                : Lane(first: oldest, liveNext: oldest, late: 0..<0)
        }
        pause = ServerPause()
        pace.restart(now)
        againPace.restart(now)
        held = HeldTopics()
    }

    /// The server may take so many at once: the window grows up to that as messages are delivered.
    public mutating func widen(receiveMaximum: Int?) {
        mostWindow = max(1, window, min(mostInFlight, receiveMaximum ?? mostInFlight))
    }

    /// The connection has ended: what has no answer will be sent again.
    public mutating func disconnect() {
        window = 0
        unanswered = [:]
        serials = [:]
        // Who still lacks something asks again.
        again = []
    }

    /// Messages that a consumer asks for again; false if too many are waiting.
    public mutating func sendAgain(_ wanted: [UInt64]) -> Bool {
        guard again.count + wanted.count <= Self.mostAgain else { return false }
        again += wanted
        return true
    }

    /// The next step; whoever publishes calls `didPublish`.
    public mutating func next(_ now: Int64, _ source: inout some PublishSource, _ permit: SendPermit = .all) -> Step {
        guard inFlight < window else { return .wait(until: nil) }
        guard now >= pause.until else { return .wait(until: pause.until) }
        let serials = source.lanes
        for index in lanes.indices {
            while lanes[index].liveNext < serials[index].upperBound {
                let serial = max(lanes[index].liveNext, serials[index].lowerBound)
                lanes[index].liveNext = serial + 1
                guard permit.allowsNew(index) else {
                    lanes[index].liveNext = serial
                    if order == .oldest { break }
                    // The lane follows when there is room for what is left.
                    lanes[index].liveNext = serials[index].upperBound
                    rewind(to: serial)
                    rewind(to: serials[index].upperBound - 1)
                    break
                }
                guard serial < serials[index].upperBound, mayLeave(serial, .live, &source) else { continue }
                return .publish(serial, .live)
            }
        }
        while let (topic, oldest, newest) = held.probe(now, permit.allows) {
            // What is new shows whether the topic for that is taken again, and the rest is left from before by then.
            let serial = order == .live && !topic.isLate ? newest : oldest
            if !source.isAcknowledged(serial), unanswered[serial] == nil, source.pending(at: serial) != nil {
                return .publish(serial, topic.isLate ? .late : .live)
            }
            release(topic)
        }
        let first = isAgainFirst ? nextAgain(now, &source, permit) : nextLate(now, &source, permit)
        guard case .wait(let until) = first else {
            isAgainFirst.toggle()
            return first
        }
        let second = isAgainFirst ? nextLate(now, &source, permit) : nextAgain(now, &source, permit)
        guard case .wait(let other) = second else { return second }
        return .wait(until: [until, other, permit.lookAgain].compactMap(\.self).min())
    }

    private mutating func nextAgain(_ now: Int64, _ source: inout some PublishSource, _ permit: SendPermit) -> Step {
        guard !permit.holdsAgain else { return .wait(until: nil) }
        while let serial = again.first {
            if let ready = againPace.notBefore(now) { return .wait(until: ready) }
            again.removeFirst()
            guard unanswered[serial] == nil, let pending = source.pending(at: serial) else { continue }
            againPace.spend(pending.bootNanoseconds)
            return .publish(serial, .again)
        }
        return .wait(until: nil)
    }

    private mutating func nextLate(_ now: Int64, _ source: inout some PublishSource, _ permit: SendPermit) -> Step {
        for index in lanes.indices where permit.allowsBacklog(index) {
            while !lanes[index].late.isEmpty {
                let end = lanes[index].late.upperBound
                let serial = min(end, source.firstUnacknowledged(from: lanes[index].late.lowerBound))
                lanes[index].late = serial..<end
                guard serial < end else { break }
                if let ready = pace.notBefore(now) {
                    return .wait(until: held.nextProbe(permit.allows).map { min($0, ready) } ?? ready)
                }
                lanes[index].late = serial + 1..<end
                guard let pending = source.pending(at: serial), mayLeave(serial, .late, &source) else { continue }
                pace.spend(pending.bootNanoseconds)
                return .publish(serial, .late)
            }
        }
        return .wait(until: held.nextProbe(permit.allows))
    }

    /// A message was published, in parts with these identifiers; none if it could not be.
    public mutating func didPublish(_ serial: UInt64, _ route: Route, stream: String, identifiers: [Int32]) {
        // The message is gone, or will come again by itself; the next one on its topic may be tried.
        let topic = HeldTopic(stream: stream, isLate: route != .live)
        guard !identifiers.isEmpty else { return release(topic) }
        assert(unanswered[serial] == nil, "a message is out once")
        assert(identifiers.allSatisfy { serials[$0] == nil }, "what is acknowledged was sent, once")
        unanswered[serial] = Unanswered(topic: topic, parts: identifiers.count)
        for identifier in identifiers { serials[identifier] = serial }
    }

    /// An answer to a part of a message; nil if others are still to come, or it is not known.
    public mutating func answer(_ identifier: Int32, reason: Int32, _ now: Int64) -> Outcome? {
        guard let serial = serials.removeValue(forKey: identifier), var sent = unanswered[serial] else { return nil }
        assert(sent.parts > 0, "a part is answered once")
        sent.parts -= 1
        let verdict = Verdict(reason: reason)
        if verdict != .delivered { sent.refusal = (verdict, reason) }
        unanswered[serial] = sent.parts > 0 ? sent : nil
        guard sent.parts == 0 else { return nil }
        guard let refusal = sent.refusal else {
            didDeliver(sent.topic)
            return .delivered(serial)
        }
        switch refusal.verdict {
        case .busy:
            if pause.extend(now) {
                window = max(1, window / 2)
                deliveredSinceGrowth = 0
            }
            held.tryAgain(sent.topic)
            rewind(to: serial)
        case .denied, .noSubscribers: held.hold(sent.topic, serial, refusal.verdict, now)
        case .tooLarge, .delivered:
            release(sent.topic)
            rewind(to: serial)
        }
        return .refused(serial, sent.topic, refusal.verdict, reason: refusal.reason)
    }

    /// The topics that the server does not take at present.
    public var heldTopics: [HeldTopic: Verdict] { held.verdicts }

    /// Makes a message that was not published come again.
    public mutating func rewind(to serial: UInt64) {
        let index = SerialLane.index(of: serial)
        guard lanes.indices.contains(index) else { return }
        if order == .oldest {
            lanes[index].liveNext = min(lanes[index].liveNext, serial)
        } else {
            let late = lanes[index].late
            let start = late.isEmpty ? serial : min(late.lowerBound, serial)
            lanes[index].late = start..<max(late.upperBound, serial + 1)
        }
    }

    private mutating func didDeliver(_ topic: HeldTopic) {
        pause.reset()
        release(topic)
        deliveredSinceGrowth += 1
        if deliveredSinceGrowth >= window, window < mostWindow {
            window += 1
            deliveredSinceGrowth = 0
        }
        assert(window <= mostWindow, "no more is out than the server takes")
    }

    private mutating func release(_ topic: HeldTopic) {
        let serials = held.release(topic)
        for serial in serials { rewind(to: serial) }
        let lanes = serials.map(SerialLane.index)
        guard let first = lanes.first, let last = lanes.last, first < last, last < self.lanes.count else { return }
        // It waits in several lanes, anywhere in each.
        for index in first...last {
            rewind(to: self.lanes[index].first)
            rewind(to: self.lanes[index].liveNext - 1)
        }
    }

    private mutating func mayLeave(_ serial: UInt64, _ route: Route, _ source: inout some PublishSource) -> Bool {
        guard unanswered[serial] == nil, !source.isAcknowledged(serial), let pending = source.pending(at: serial) else {
            return false
        }
        return !held.isHeld(HeldTopic(stream: pending.stream, isLate: route != .live), serial)
    }
}

extension SendPermit {
    /// Whether something may leave on a topic, of the lane of a serial.
    fileprivate func allows(_ topic: HeldTopic, at serial: UInt64) -> Bool {
        let lane = SerialLane.index(of: serial)
        return topic.isLate ? allowsBacklog(lane) : allowsNew(lane)
    }
}

/// The order in which messages leave.
public enum Order: String, CaseIterable, Sendable {
    /// What is new first, what is left from before on topics of its own.
    case live
    /// As they were measured, on one topic.
    case oldest
}
