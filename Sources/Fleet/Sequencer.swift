public import Spool

/// Brings the messages of a host into the order of their numbers, as far as time and memory allow.
///
/// Live messages overtake those that are left from before, and what was asked for again comes last. A message waits until
/// those before it have come, are told as lost, or have been waited for long enough; then there is a hole. What comes after
/// that is late, and goes another way. Pure.
public struct Sequencer<Piece> {
    /// What comes out.
    public enum Output {
        /// The next of its stream.
        case next(Piece)
        /// These did not come.
        case hole(resource: String, epoch: Identity, numbers: ClosedRange<UInt64>)
        /// It comes too late for its place.
        case late(Piece, epoch: Identity, number: UInt64, resource: String)
    }

    private struct Held {
        let piece: Piece
        let bytes: Int
        let arrived: Int64
    }

    private struct Part {
        var next: UInt64
        /// The last number, if the next epoch told it.
        var end: UInt64?
        var held: [UInt64: Held] = [:]

        var oldest: Int64 { held.values.map(\.arrived).min() ?? .max }
    }

    private struct Stream {
        var epoch: Identity
        var part: Part
        var upcoming: [Identity: Part] = [:]

        var oldest: Int64 { min(part.oldest, upcoming.values.map(\.oldest).min() ?? .max) }
    }

    private var streams: [String: Stream] = [:]
    /// How much waits.
    public private(set) var heldBytes = 0
    private let patience: Int64
    private static var mostUpcoming: Int { 4 }

    /// A message waits at most so long.
    public init(patienceNanoseconds: Int64) { patience = patienceNanoseconds }

    /// Whether anything waits.
    public var isWaiting: Bool { heldBytes > 0 }

    /// What a stream had before: it goes on after that.
    public mutating func resume(_ resource: String, _ epoch: Identity, after last: UInt64) {
        streams[resource] = Stream(epoch: epoch, part: Part(next: last + 1))
    }

    /// Takes a message that has not come before; `first` is the first one of its epoch that is expected.
    public mutating func take(
        _ piece: Piece, _ message: FleetMessage, of resource: String, bytes: Int, first: @autoclosure () -> UInt64?,
        _ now: Int64
    ) -> [Output] {
        let (epoch, number) = (message.epoch, message.number)
        let late = Output.late(piece, epoch: epoch, number: number, resource: resource)
        var stream: Stream
        if let known = streams.removeValue(forKey: resource) {
            stream = known
        } else {
            guard let first = first() else { return [late] }
            stream = Stream(epoch: epoch, part: Part(next: first))
        }
        defer { streams[resource] = stream }
        if let former = message.former, former.epoch == stream.epoch { stream.part.end = former.last }
        let held = Held(piece: piece, bytes: max(1, bytes), arrived: now)
        if epoch == stream.epoch {
            guard number >= stream.part.next else { return [late] }
            stream.part.held[number] = held
        } else {
            let isOlder = epoch.description < stream.epoch.description
            guard !isOlder, stream.upcoming[epoch] != nil || stream.upcoming.count < Self.mostUpcoming else {
                return [late]
            }
            if stream.upcoming[epoch] == nil { stream.upcoming[epoch] = Part(next: first() ?? number) }
            stream.upcoming[epoch]?.held[number] = held
        }
        heldBytes += held.bytes
        return advance(&stream)
    }

    /// Gives out what has waited long enough, or what waits for numbers that will never come; if more waits than may, the oldest.
    public mutating func turn(
        _ now: Int64, mostBytes: Int, firstUnknown: (_ resource: String, _ epoch: Identity, _ from: UInt64) -> UInt64
    ) -> [Output] {
        guard isWaiting else { return [] }
        var outputs: [Output] = []
        for resource in streams.keys.sorted() {
            guard var stream = streams.removeValue(forKey: resource) else { continue }
            if let lowest = stream.part.held.keys.min(), lowest > stream.part.next {
                let unknown = firstUnknown(resource, stream.epoch, stream.part.next)
                if unknown > stream.part.next { outputs += skip(&stream, resource, to: min(lowest, unknown)) }
            }
            outputs += advance(&stream)
            while stream.oldest <= now - patience { outputs += force(&stream, resource) }
            streams[resource] = stream
        }
        while heldBytes > mostBytes,
            let resource = streams.min(by: { $0.value.oldest < $1.value.oldest })?.key,
            var stream = streams.removeValue(forKey: resource)
        {
            outputs += force(&stream, resource)
            streams[resource] = stream
        }
        return outputs
    }

    /// Gives out everything.
    public mutating func finish() -> [Output] {
        var outputs: [Output] = []
        for resource in streams.keys.sorted() {
            guard var stream = streams.removeValue(forKey: resource) else { continue }
            while stream.oldest < .max { outputs += force(&stream, resource) }
            streams[resource] = stream
        }
        return outputs
    }

    /// What follows without a hole.
    private mutating func advance(_ stream: inout Stream) -> [Output] {
        var outputs: [Output] = []
        while true {
            while let held = stream.part.held.removeValue(forKey: stream.part.next) {
                heldBytes -= held.bytes
                outputs.append(.next(held.piece))
                stream.part.next += 1
            }
            guard let end = stream.part.end, stream.part.next > end, stream.part.held.isEmpty, goOn(&stream) else {
                return outputs
            }
        }
    }

    /// The next epoch of the stream, by the names, which are in the order of their beginnings; false if none is known.
    private mutating func goOn(_ stream: inout Stream) -> Bool {
        guard let next = stream.upcoming.keys.min(by: { $0.description < $1.description }),
            let part = stream.upcoming.removeValue(forKey: next)
        else { return false }
        (stream.epoch, stream.part) = (next, part)
        return true
    }

    /// Goes over one hole, to whatever is next.
    private mutating func force(_ stream: inout Stream, _ resource: String) -> [Output] {
        if let lowest = stream.part.held.keys.min() {
            return skip(&stream, resource, to: lowest) + advance(&stream)
        }
        var outputs: [Output] = []
        if let end = stream.part.end, end >= stream.part.next {
            outputs = skip(&stream, resource, to: end + 1)
        }
        _ = goOn(&stream)
        return outputs + advance(&stream)
    }

    private func skip(_ stream: inout Stream, _ resource: String, to number: UInt64) -> [Output] {
        guard number > stream.part.next else { return [] }
        defer { stream.part.next = number }
        return [.hole(resource: resource, epoch: stream.epoch, numbers: stream.part.next...number - 1)]
    }
}

extension Sequencer.Output: Sendable where Piece: Sendable {}
