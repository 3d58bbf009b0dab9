package import Spool

/// Brings the messages of a host into the order of their numbers, as far as time and memory allow.
///
/// Live messages overtake those that are left from before, and what was asked for again comes last. A message waits
/// until those before it have come, are reported as lost, or have been waited for long enough; then there is a hole.
/// What comes after that is late, and goes another way. So does what an epoch sends that was left for a newer one; but
/// if two programs had one name and the newer one has become silent, the stream goes back to the one that still sends.
/// Pure.
package struct Sequencer<Piece> {
    /// What comes out.
    package enum Output {
        /// The next of its stream.
        case next(Piece)
        /// These did not come.
        case hole(resource: String, epoch: Identity, numbers: ClosedRange<UInt64>)
        /// The piece comes too late for its place.
        case late(Piece, epoch: Identity, number: UInt64, resource: String)
    }

    private struct Part {
        var next: UInt64
        /// The last number, and the next epoch, if that has reported it.
        var end: UInt64?
        var follower: Identity?
        /// What its first message stated of the epoch before it.
        var former: FleetMessage.Former?
        /// When a message came at its time.
        var lastLive: Int64 = 0
        var held = HeldMessages<Piece>()
    }

    private struct Stream {
        var epoch: Identity
        var part: Part
        var upcoming: [Identity: Part] = [:]
        /// Epochs that were left, and the numbers with which they would go on.
        var left: [Identity: UInt64] = [:]

        var oldest: Int64 { min(part.held.oldest, upcoming.values.map(\.held.oldest).min() ?? .max) }
    }

    private var streams: [String: Stream] = [:]
    package private(set) var heldBytes = 0
    private let patience: Int64
    private static var mostUpcoming: Int { 4 }
    private static var mostLeft: Int { 4 }

    /// A message waits at most so long.
    package init(patienceNanoseconds: Int64) { patience = patienceNanoseconds }

    package var isWaiting: Bool { heldBytes > 0 }

    /// What a stream had before: it goes on after that.
    package mutating func resume(_ resource: String, _ epoch: Identity, after last: UInt64) {
        streams[resource] = Stream(epoch: epoch, part: Part(next: last + 1))
    }

    /// Takes a message that has not come before; `first` is the first one of its epoch that is expected.
    package mutating func take(
        _ piece: Piece, _ message: FleetMessage, of resource: String, isLate: Bool, bytes: Int,
        first: @autoclosure () -> UInt64?, _ now: Int64
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
        if let former = message.former, former.epoch == stream.epoch {
            (stream.part.end, stream.part.follower) = (former.last, epoch)
        }
        var outputs: [Output] = []
        if epoch == stream.epoch || stream.left[epoch] != nil {
            outputs = rest(of: message.former, &stream, resource)
        }
        let isNext =
            stream.upcoming[epoch] != nil || stream.part.follower == epoch
            || epoch > stream.epoch
        if epoch != stream.epoch, !isNext {
            guard !isLate, isSilent(stream, now), number >= stream.left[epoch] ?? 0 else { return outputs + [late] }
            outputs += goBack(&stream, resource, to: epoch, number)
        }
        let held = HeldMessages.Message(piece: piece, bytes: max(1, bytes), arrived: now)
        if epoch == stream.epoch {
            if !isLate { stream.part.lastLive = now }
            guard number >= stream.part.next else { return outputs + [late] }
            stream.part.held.add(held, number)
        } else {
            let isKnown = stream.upcoming[epoch] != nil
            let next = stream.upcoming[epoch]?.next ?? stream.left[epoch] ?? first() ?? number
            // What is before it would wait for ever.
            guard number >= next, isKnown || stream.upcoming.count < Self.mostUpcoming else { return outputs + [late] }
            if !isKnown {
                stream.left[epoch] = nil
                stream.upcoming[epoch] = Part(next: next)
            }
            if !isLate { stream.upcoming[epoch]?.lastLive = now }
            if let former = message.former { stream.upcoming[epoch]?.former = former }
            stream.upcoming[epoch]?.held.add(held, number)
        }
        heldBytes += held.bytes
        return outputs + advance(&stream, resource)
    }

    /// What did not come of the epoch before one that was begun: its end, or all of it if it was passed over.
    private func rest(of former: FleetMessage.Former?, _ stream: inout Stream, _ resource: String) -> [Output] {
        guard let former, former.epoch != stream.epoch, stream.upcoming[former.epoch] == nil else { return [] }
        let isPassedOver = stream.left.keys.contains { $0 < former.epoch }
        guard let next = stream.left[former.epoch] ?? (isPassedOver ? 1 : nil), former.last >= next else { return [] }
        stream.left[former.epoch] = former.last + 1
        Self.trim(&stream)
        return [.hole(resource: resource, epoch: former.epoch, numbers: next...former.last)]
    }

    /// Whether nothing of its epoch, or a newer one, came for as long as a message waits.
    private func isSilent(_ stream: Stream, _ now: Int64) -> Bool {
        now - stream.part.lastLive > patience && stream.part.held.isEmpty && stream.upcoming.isEmpty
    }

    /// Goes back to an epoch that was left.
    private func goBack(_ stream: inout Stream, _ resource: String, to epoch: Identity, _ number: UInt64) -> [Output] {
        leave(&stream)
        stream.part = Part(next: stream.left.removeValue(forKey: epoch) ?? number)
        stream.epoch = epoch
        return skip(&stream, resource, to: number)
    }

    private func leave(_ stream: inout Stream) {
        stream.left[stream.epoch] = stream.part.next
        Self.trim(&stream)
    }

    /// Forgets the oldest epochs that were left: a host may name any number of them.
    private static func trim(_ stream: inout Stream) {
        while stream.left.count > mostLeft, let oldest = stream.left.keys.min() {
            stream.left[oldest] = nil
        }
    }

    /// Gives out what has waited long enough, or what waits for numbers that will never come; if more waits than may, the oldest.
    package mutating func turn(
        _ now: Int64, mostBytes: Int, firstUnknown: (_ resource: String, _ epoch: Identity, _ from: UInt64) -> UInt64
    ) -> [Output] {
        guard isWaiting else { return [] }
        var outputs: [Output] = []
        for resource in streams.keys.sorted() {
            guard var stream = streams.removeValue(forKey: resource) else { continue }
            if let lowest = stream.part.held.lowest, lowest > stream.part.next {
                let unknown = firstUnknown(resource, stream.epoch, stream.part.next)
                if unknown > stream.part.next { outputs += skip(&stream, resource, to: min(lowest, unknown)) }
            }
            outputs += advance(&stream, resource)
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
    package mutating func finish() -> [Output] {
        var outputs: [Output] = []
        for resource in streams.keys.sorted() {
            guard var stream = streams.removeValue(forKey: resource) else { continue }
            while stream.oldest < .max { outputs += force(&stream, resource) }
            streams[resource] = stream
        }
        assert(heldBytes == 0, "everything is given out")
        return outputs
    }

    /// What follows without a hole.
    private mutating func advance(_ stream: inout Stream, _ resource: String) -> [Output] {
        var outputs: [Output] = []
        while true {
            while let held = stream.part.held.take(stream.part.next) {
                heldBytes -= held.bytes
                assert(heldBytes >= 0, "what waits is given out once")
                outputs.append(.next(held.piece))
                stream.part.next += 1
            }
            guard let end = stream.part.end, stream.part.next > end, stream.part.held.isEmpty,
                let holes = goOn(&stream, resource)
            else { return outputs }
            outputs += holes
        }
    }

    /// The next epoch of the stream: as its first message states, or else by the names, which are in the order of their
    /// beginnings where the clock was right; nil if none is known, or else what did not come before it.
    private mutating func goOn(_ stream: inout Stream, _ resource: String) -> [Output]? {
        let follower = stream.part.follower.flatMap { stream.upcoming[$0] == nil ? nil : $0 }
        guard let next = follower ?? stream.upcoming.keys.min(),
            let part = stream.upcoming.removeValue(forKey: next)
        else { return nil }
        leave(&stream)
        (stream.epoch, stream.part) = (next, part)
        return rest(of: part.former, &stream, resource)
    }

    /// Goes over one hole, to whatever is next.
    private mutating func force(_ stream: inout Stream, _ resource: String) -> [Output] {
        if let lowest = stream.part.held.lowest {
            assert(lowest >= stream.part.next, "what waits is still to come")
            return skip(&stream, resource, to: lowest) + advance(&stream, resource)
        }
        var outputs: [Output] = []
        if let end = stream.part.end, end >= stream.part.next {
            outputs = skip(&stream, resource, to: end + 1)
        }
        outputs += goOn(&stream, resource) ?? []
        return outputs + advance(&stream, resource)
    }

    private func skip(_ stream: inout Stream, _ resource: String, to number: UInt64) -> [Output] {
        guard number > stream.part.next else { return [] }
        defer { stream.part.next = number }
        return [.hole(resource: resource, epoch: stream.epoch, numbers: stream.part.next...number - 1)]
    }
}
