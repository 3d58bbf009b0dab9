/// What was found when a spool was opened.
public struct SpoolRecovery: Equatable, Sendable {
    /// The epoch before; nil for a new spool.
    public internal(set) var epoch: Identity?
    /// The last number of each of its streams, as far as it is known.
    public internal(set) var last: [String: UInt64] = [:]
    /// Whether its program ended in order.
    public internal(set) var hasEnd = false
    /// The boot of the host in which it ran.
    public internal(set) var bootID: Identity?
    /// How many bytes were not as they were written.
    public internal(set) var damagedBytes = 0
    /// Whether some stream may have had more numbers than are known.
    public var hasUnknownEnd: Bool { isLastUnreadable || !unknownEnds.isEmpty }

    /// The streams that may have had more numbers than `last`.
    var unknownEnds: Set<String> = []
    /// Whether the newest segment cannot be read at all.
    var isLastUnreadable = false
    /// The epoch before that one.
    var earlier: SegmentHead.Former?

    /// Where the numbers of a stream ended, in the newest epoch that had any; nil if there was none.
    public func end(of stream: String) -> (epoch: Identity, last: UInt64, isUnknown: Bool)? {
        guard let epoch else { return nil }
        let isUnknown = isLastUnreadable || unknownEnds.contains(stream)
        let last = last[stream] ?? 0
        if last == 0, !isUnknown, let earlier, let before = earlier.last[stream] {
            return (earlier.epoch, before, false)
        }
        return (epoch, last, isUnknown)
    }

    /// Whether an epoch is one of those before.
    public func names(_ other: Identity) -> Bool { other == epoch || other == earlier?.epoch }

    /// What the heads of the next epoch state: a program that numbered nothing was no epoch.
    var former: SegmentHead.Former? {
        guard let epoch else { return nil }
        if let earlier, last.values.allSatisfy({ $0 == 0 }) { return earlier }
        return SegmentHead.Former(epoch: epoch, last: last)
    }
}

/// Goes through the segments in order, and notices what is missing in them and between them.
struct RecoveryWalk {
    private(set) var recovery = SpoolRecovery()
    private(set) var losses: [(stream: String, loss: Loss)] = []
    private var next: [String: UInt64] = [:]
    private var isFirst = true
    private var isDamaged = false

    /// A segment cannot be read, or is none; an empty file is one that was not begun.
    mutating func skip(bytes: Int) {
        isDamaged = isDamaged || bytes > 0
        recovery.damagedBytes += bytes
    }

    /// The next segment begins; `isWhole`: with its own head, and not with that of a copy.
    mutating func enter(_ head: SegmentHead, isWhole: Bool) {
        if isFirst, !isDamaged, isWhole {
            // What was before is acknowledged, or was reported lost when it was removed.
        } else if head.epoch == recovery.epoch {
            lose(head.epoch, from: next, to: head.streams)
        } else {
            if let former = head.former {
                let ends = former.last.map { (name: $0.key, next: $0.value + 1) }
                lose(former.epoch, from: former.epoch == recovery.epoch ? next : [:], to: ends)
            }
            lose(head.epoch, from: [:], to: head.streams)
        }
        if head.epoch != recovery.epoch { next = [:] }
        for stream in head.streams { next[stream.name] = stream.next }
        recovery.epoch = head.epoch
        recovery.bootID = head.bootID
        recovery.earlier = head.former
        recovery.unknownEnds = []
        isFirst = false
        isDamaged = false
    }

    /// The segment was read to its end.
    mutating func leave(_ scan: SegmentScan) {
        for (stream, holes) in scan.segment.holes.sorted(by: { $0.key < $1.key }) {
            for numbers in holes.ranges {
                let loss = Loss(epoch: scan.segment.head.epoch, numbers: numbers, cause: .corrupted)
                losses.append((scan.segment.head.streams[stream].name, loss))
            }
        }
        for (stream, number) in zip(scan.segment.head.streams, scan.segment.next) { next[stream.name] = number }
        recovery.hasEnd = scan.segment.hasEnd && scan.damagedEnd == 0
        recovery.damagedBytes += scan.damagedBytes + scan.damagedEnd
        recovery.unknownEnds = Set(scan.unknownEnds)
    }

    /// The end of the last segment.
    mutating func finish() {
        recovery.hasEnd = recovery.hasEnd && !isDamaged
        recovery.isLastUnreadable = isDamaged
        assert(next.values.allSatisfy { $0 > 0 }, "numbers begin with 1")
        recovery.last = next.mapValues { $0 - 1 }
    }

    private mutating func lose(_ epoch: Identity, from: [String: UInt64], to: [(name: String, next: UInt64)]) {
        for stream in to {
            let first = from[stream.name] ?? 1
            guard first < stream.next else { continue }
            losses.append((stream.name, Loss(epoch: epoch, numbers: first...stream.next - 1, cause: .corrupted)))
        }
    }
}
