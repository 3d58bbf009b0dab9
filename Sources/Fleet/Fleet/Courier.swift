public import Spool

/// What the courier takes messages from.
public protocol Shelf {
    /// The places of each lane, from its oldest message to the one after its newest; what leaves first comes first.
    var lanes: [Range<UInt64>] { get }
    /// Whether the message at a place has arrived, or is gone.
    func isAcknowledged(_ place: UInt64) -> Bool
    /// The first place of its lane from one on that is not acknowledged; the lane's end if there is none.
    func firstUnacknowledged(from place: UInt64) -> UInt64
    /// What the courier has to know of a message; nil if it is not there.
    mutating func parcel(at place: UInt64) -> Parcel?
}

/// What the courier has to know of a message.
public struct Parcel: Equatable, Sendable {
    /// Its stream.
    public let stream: String
    /// CLOCK_BOOTTIME of when it was written.
    public let bootNanoseconds: Int64

    /// A message of a stream.
    public init(stream: String, bootNanoseconds: Int64) {
        self.stream = stream
        self.bootNanoseconds = bootNanoseconds
    }
}

extension PrioritySpool: Shelf {
    /// What the courier has to know of a message; nil if it is not there.
    public mutating func parcel(at place: UInt64) -> Parcel? {
        message(at: place).map { Parcel(stream: $0.stream, bootNanoseconds: $0.bootNanoseconds) }
    }
}

/// Decides what is published next, and what follows from the server's answers.
///
/// What is new goes first; what is left from before, oldest first, and what was asked for again follow in turn, each at a
/// bounded pace. A message that is refused stays where it is and is tried again later.
public struct Courier {
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
        /// Publish the message at a place.
        case publish(UInt64, Route)
        /// Nothing before this instant, unless something happens; nil: until something happens.
        case wait(until: Int64?)
    }

    /// What an answer says of a message.
    public enum Outcome: Equatable, Sendable {
        /// It has arrived.
        case delivered(UInt64)
        /// The server does not take it now; why, by the code of its reason, and for how long the stream is held.
        case refused(UInt64, stream: String, Verdict, reason: Int32)
    }

    /// The messages of one priority.
    private struct Lane {
        /// What was not acknowledged when the connection began.
        let first: UInt64
        var liveNext: UInt64
        var late: Range<UInt64>
    }

    private struct Flight {
        let route: Route
        let stream: String
        var parts: Int
        var refusal: (verdict: Verdict, reason: Int32)?
    }

    private let order: Order
    private let mostInFlight: Int
    private var window = 0
    private var mostWindow = 0
    /// What leaves first comes first.
    private var lanes: [Lane] = []
    private var flights: [UInt64: Flight] = [:]
    private var places: [Int32: UInt64] = [:]
    private var again: [UInt64] = []
    /// Whether what was asked for again has its turn before what is left.
    private var isAgainFirst = true
    private var holds = Holds()
    private var pace: Pace
    private var againPace: Pace
    private var pause = Pause()
    private var deliveredSinceGrowth = 0

    /// How many messages may wait to be sent again.
    private static let mostAgain = 10_000

    /// A courier without a connection.
    ///
    /// `speed` is recorded time for real time; nil: no bound.
    public init(order: Order, speed: Double?, mostInFlight: Int = 100) {
        self.order = order
        self.mostInFlight = mostInFlight
        pace = Pace(speed: speed)
        againPace = Pace(speed: speed)
    }

    /// How many messages are out without an answer.
    public var inFlight: Int { places.count }

    /// Whether more could leave if there were fewer out.
    public var isFull: Bool { inFlight >= window }

    /// Whether something waits that is not new.
    public func hasBacklog(_ permit: SendPermit) -> Bool {
        !(again.isEmpty || permit.holdsAgain)
            || lanes.indices.contains { !lanes[$0].late.isEmpty && permit.allowsBacklog($0) }
    }

    /// Whether a message is out without an answer.
    public func isInFlight(_ place: UInt64) -> Bool { flights[place] != nil }

    /// A connection is ready; `receiveMaximum` is the server's.
    public mutating func connect(_ now: Int64, receiveMaximum: Int?, _ shelf: some Shelf) {
        disconnect()
        mostWindow = max(1, min(mostInFlight, receiveMaximum ?? mostInFlight))
        window = mostWindow
        lanes = shelf.lanes.map { lane in
            let oldest = shelf.firstUnacknowledged(from: lane.lowerBound)
            return order == .live
                ? Lane(first: oldest, liveNext: lane.upperBound, late: oldest..<lane.upperBound)
                : Lane(first: oldest, liveNext: oldest, late: 0..<0)
        }
        pause = Pause()
        pace.restart(now)
        againPace.restart(now)
        holds = Holds()
    }

    /// The connection has ended: what has no answer will be sent again.
    public mutating func disconnect() {
        window = 0
        flights = [:]
        places = [:]
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
    public mutating func next(_ now: Int64, _ shelf: inout some Shelf, _ permit: SendPermit = .all) -> Step {
        guard inFlight < window else { return .wait(until: nil) }
        guard now >= pause.until else { return .wait(until: pause.until) }
        let places = shelf.lanes
        for index in lanes.indices {
            while lanes[index].liveNext < places[index].upperBound {
                let place = max(lanes[index].liveNext, places[index].lowerBound)
                lanes[index].liveNext = place + 1
                guard permit.allowsNew(index) else {
                    lanes[index].liveNext = place
                    if order == .oldest { break }
                    // It follows when there is room for what is left.
                    lanes[index].liveNext = places[index].upperBound
                    rewind(to: place)
                    rewind(to: places[index].upperBound - 1)
                    break
                }
                if place < places[index].upperBound, mayLeave(place, &shelf, now) { return .publish(place, .live) }
            }
        }
        while !permit.holdsAgain, let (stream, place) = holds.probe(now) {
            if !shelf.isAcknowledged(place), flights[place] == nil, shelf.parcel(at: place) != nil {
                return .publish(place, order == .live ? .late : .live)
            }
            release(stream)
        }
        let first = isAgainFirst ? nextAgain(now, &shelf, permit) : nextLate(now, &shelf, permit)
        guard case .wait(let until) = first else {
            isAgainFirst.toggle()
            return first
        }
        let second = isAgainFirst ? nextLate(now, &shelf, permit) : nextAgain(now, &shelf, permit)
        guard case .wait(let other) = second else { return second }
        return .wait(until: [until, other, permit.lookAgain].compactMap(\.self).min())
    }

    private mutating func nextAgain(_ now: Int64, _ shelf: inout some Shelf, _ permit: SendPermit) -> Step {
        guard !permit.holdsAgain else { return .wait(until: nil) }
        while let place = again.first {
            if let ready = againPace.notBefore(now) { return .wait(until: ready) }
            again.removeFirst()
            guard flights[place] == nil, let parcel = shelf.parcel(at: place) else { continue }
            againPace.spend(parcel.bootNanoseconds)
            return .publish(place, .again)
        }
        return .wait(until: nil)
    }

    private mutating func nextLate(_ now: Int64, _ shelf: inout some Shelf, _ permit: SendPermit) -> Step {
        for index in lanes.indices where permit.allowsBacklog(index) {
            while !lanes[index].late.isEmpty {
                let end = lanes[index].late.upperBound
                let place = min(end, shelf.firstUnacknowledged(from: lanes[index].late.lowerBound))
                lanes[index].late = place..<end
                guard place < end else { break }
                if let ready = pace.notBefore(now) {
                    return .wait(until: holds.nextProbe.map { min($0, ready) } ?? ready)
                }
                lanes[index].late = place + 1..<end
                guard let parcel = shelf.parcel(at: place), mayLeave(place, &shelf, now) else { continue }
                pace.spend(parcel.bootNanoseconds)
                return .publish(place, .late)
            }
        }
        return .wait(until: holds.nextProbe)
    }

    /// A message was published, in parts with these identifiers; none if it could not be.
    public mutating func didPublish(_ place: UInt64, _ route: Route, stream: String, identifiers: [Int32]) {
        // It is gone, or will come again by itself; the next one of its stream may be tried.
        guard !identifiers.isEmpty else { return release(stream) }
        flights[place] = Flight(route: route, stream: stream, parts: identifiers.count)
        for identifier in identifiers { places[identifier] = place }
    }

    /// An answer to a part of a message; nil if others are still to come, or it is not known.
    public mutating func answer(_ identifier: Int32, reason: Int32, _ now: Int64) -> Outcome? {
        guard let place = places.removeValue(forKey: identifier), var flight = flights[place] else { return nil }
        flight.parts -= 1
        let verdict = Verdict(reason: reason)
        if verdict != .delivered { flight.refusal = (verdict, reason) }
        flights[place] = flight.parts > 0 ? flight : nil
        guard flight.parts == 0 else { return nil }
        guard let refusal = flight.refusal else {
            didDeliver(flight.stream)
            return .delivered(place)
        }
        switch refusal.verdict {
        case .busy:
            if pause.extend(now) {
                window = max(1, window / 2)
                deliveredSinceGrowth = 0
            }
            holds.tryAgain(flight.stream)
            rewind(to: place)
        case .denied, .unheard: holds.hold(flight.stream, place, refusal.verdict, now)
        case .tooLarge, .delivered:
            release(flight.stream)
            rewind(to: place)
        }
        return .refused(place, stream: flight.stream, refusal.verdict, reason: refusal.reason)
    }

    /// The streams that the server does not take at present.
    public var heldStreams: [String: Verdict] { holds.streams }

    /// Makes a message that was not published come again.
    public mutating func rewind(to place: UInt64) {
        let index = PlaceLane.index(of: place)
        guard lanes.indices.contains(index) else { return }
        if order == .oldest {
            lanes[index].liveNext = min(lanes[index].liveNext, place)
        } else {
            let late = lanes[index].late
            let start = late.isEmpty ? place : min(late.lowerBound, place)
            lanes[index].late = start..<max(late.upperBound, place + 1)
        }
    }

    private mutating func didDeliver(_ stream: String) {
        pause.reset()
        release(stream)
        deliveredSinceGrowth += 1
        if deliveredSinceGrowth >= window, window < mostWindow {
            window += 1
            deliveredSinceGrowth = 0
        }
    }

    private mutating func release(_ stream: String) {
        let places = holds.release(stream)
        for place in places { rewind(to: place) }
        let lanes = places.map(PlaceLane.index)
        guard let first = lanes.first, let last = lanes.last, first < last, last < self.lanes.count else { return }
        // It waits in several lanes: in each anywhere.
        for index in first...last {
            rewind(to: self.lanes[index].first)
            rewind(to: self.lanes[index].liveNext - 1)
        }
    }

    private mutating func mayLeave(_ place: UInt64, _ shelf: inout some Shelf, _ now: Int64) -> Bool {
        guard flights[place] == nil, !shelf.isAcknowledged(place), let parcel = shelf.parcel(at: place) else {
            return false
        }
        return !holds.isHeld(parcel.stream, place)
    }
}

/// The order in which messages leave.
public enum Order: String, CaseIterable, Sendable {
    /// What is new first, what is left from before on topics of its own.
    case live
    /// As they were measured, on one topic.
    case oldest
}
