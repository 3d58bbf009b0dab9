/// What was found when a spool was opened.
public struct SpoolRecovery: Equatable, Sendable {
    /// The epoch before; nil for a new spool.
    public internal(set) var epoch: Identity?
    /// The last number of each of its streams.
    public internal(set) var last: [String: UInt64] = [:]
    /// Whether its program ended in order.
    public internal(set) var hasEnd = false
    /// The boot of the host in which it ran.
    public internal(set) var bootID: Identity?
    /// How many bytes were not as they were written.
    public internal(set) var damagedBytes = 0
}

/// Goes through the segments in order, and notices what is missing between them.
struct RecoveryWalk {
    private(set) var recovery = SpoolRecovery()
    private(set) var losses: [(stream: String, loss: Loss)] = []
    private var next: [String: UInt64] = [:]
    private var isFirst = true
    private var isDamaged = false

    /// A segment cannot be read, or is none.
    mutating func skip(bytes: Int) {
        isDamaged = true
        recovery.damagedBytes += bytes
    }

    /// The next segment begins.
    mutating func enter(_ head: SegmentHead) {
        if isFirst, !isDamaged {
            // What was before is acknowledged, or was told lost when it was removed.
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
        isFirst = false
        isDamaged = false
    }

    /// The segment ends, with these numbers to come next.
    mutating func leave(_ segment: Segment, damagedBytes: Int) {
        for (stream, number) in zip(segment.head.streams, segment.next) { next[stream.name] = number }
        recovery.hasEnd = segment.hasEnd && damagedBytes == 0
        recovery.damagedBytes += damagedBytes
    }

    /// The end of the last segment.
    mutating func finish() {
        recovery.hasEnd = recovery.hasEnd && !isDamaged
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
