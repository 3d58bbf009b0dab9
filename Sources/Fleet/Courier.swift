public import Spool

/// What the courier takes messages from.
public protocol Shelf {
    /// The place of the oldest message.
    var first: UInt64 { get }
    /// The place after the newest message.
    var end: UInt64 { get }
    /// Whether the message at a place has arrived, or is gone.
    func isAcknowledged(_ place: UInt64) -> Bool
    /// The first place from one on that is not acknowledged; `end` if there is none.
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

extension Spool: Shelf {
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
    private var liveNext: UInt64 = 0
    private var late: Range<UInt64> = 0..<0
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

    /// Whether a message is out without an answer.
    public func isInFlight(_ place: UInt64) -> Bool { flights[place] != nil }

    /// A connection is ready; `receiveMaximum` is the server's.
    public mutating func connect(_ now: Int64, receiveMaximum: Int?, _ shelf: some Shelf) {
        disconnect()
        mostWindow = max(1, min(mostInFlight, receiveMaximum ?? mostInFlight))
        window = mostWindow
        let oldest = shelf.firstUnacknowledged(from: shelf.first)
        liveNext = order == .live ? shelf.end : oldest
        late = order == .live ? oldest..<shelf.end : 0..<0
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
    public mutating func next(_ now: Int64, _ shelf: inout some Shelf) -> Step {
        guard inFlight < window else { return .wait(until: nil) }
        guard now >= pause.until else { return .wait(until: pause.until) }
        while liveNext < shelf.end {
            let place = max(liveNext, shelf.first)
            liveNext = place + 1
            if place < shelf.end, mayLeave(place, &shelf, now) { return .publish(place, .live) }
        }
        while let (stream, place) = holds.probe(now) {
            if place >= shelf.first, !shelf.isAcknowledged(place), flights[place] == nil, shelf.parcel(at: place) != nil
            {
                return .publish(place, order == .live ? .late : .live)
            }
            release(stream)
        }
        let first = isAgainFirst ? nextAgain(now, &shelf) : nextLate(now, &shelf)
        guard case .wait(let until) = first else {
            isAgainFirst.toggle()
            return first
        }
        let second = isAgainFirst ? nextLate(now, &shelf) : nextAgain(now, &shelf)
        guard case .wait(let other) = second else { return second }
        return .wait(until: [until, other].compactMap(\.self).min())
    }

    private mutating func nextAgain(_ now: Int64, _ shelf: inout some Shelf) -> Step {
        while let place = again.first {
            if let ready = againPace.notBefore(now) { return .wait(until: ready) }
            again.removeFirst()
            guard flights[place] == nil, let parcel = shelf.parcel(at: place) else { continue }
            againPace.spend(parcel.bootNanoseconds)
            return .publish(place, .again)
        }
        return .wait(until: nil)
    }

    private mutating func nextLate(_ now: Int64, _ shelf: inout some Shelf) -> Step {
        while true {
            let place = shelf.firstUnacknowledged(from: late.lowerBound)
            guard place < late.upperBound else {
                late = late.upperBound..<late.upperBound
                return .wait(until: holds.nextProbe)
            }
            late = place..<late.upperBound
            if let ready = pace.notBefore(now) {
                return .wait(until: holds.nextProbe.map { min($0, ready) } ?? ready)
            }
            late = place + 1..<late.upperBound
            guard let parcel = shelf.parcel(at: place), mayLeave(place, &shelf, now) else { continue }
            pace.spend(parcel.bootNanoseconds)
            return .publish(place, .late)
        }
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
        if order == .oldest {
            liveNext = min(liveNext, place)
        } else {
            let start = late.isEmpty ? place : min(late.lowerBound, place)
            late = start..<max(late.upperBound, place + 1)
        }
    }

    private mutating func didDeliver(_ stream: String) {
        pause = Pause(until: pause.until)
        release(stream)
        deliveredSinceGrowth += 1
        if deliveredSinceGrowth >= window, window < mostWindow {
            window += 1
            deliveredSinceGrowth = 0
        }
    }

    private mutating func release(_ stream: String) {
        for place in holds.release(stream) { rewind(to: place) }
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
