/// What a disk holds when the spool is opened, and what is missing in its segments and between them.
struct Findings {
    private(set) var segments: [Segment] = []
    private(set) var nextOrdinal: UInt64 = 1
    private(set) var end: UInt64 = 1
    private(set) var acknowledged = NumberSet()
    private(set) var recovery = SpoolRecovery()
    /// What is missing.
    private(set) var losses: [(stream: String, loss: Loss)] = []
    /// What was reported as lost, and where.
    private(set) var reports: [(stream: String, loss: Loss, serial: UInt64)] = []

    private var next: [String: UInt64] = [:]
    /// Whether the last segment cannot be read.
    private var isDamaged = false

    /// More than any segment of ours has.
    private static let longestFile = Record.longestBody + (2 << 20)

    /// Reads every segment, cuts damaged ends, and removes what is no segment or out of order.
    init(_ disk: any SpoolDisk, _ visit: Spool.Visitor) throws(DiskFailure) {
        let ordinals = try disk.names().compactMap(Segment.ordinal).sorted()
        for ordinal in ordinals { take(ordinal, disk, visit) }
        nextOrdinal = (ordinals.last ?? 0) + 1
        recovery.hasEnd = recovery.hasEnd && !isDamaged
        recovery.isLastUnreadable = isDamaged
        assert(next.values.allSatisfy { $0 > 0 }, "numbers begin with 1")
        recovery.last = next.mapValues { $0 - 1 }
    }

    private mutating func take(_ ordinal: UInt64, _ disk: any SpoolDisk, _ visit: Spool.Visitor) {
        let name = Segment.name(ordinal)
        let size = (try? disk.size(of: name)) ?? 0
        guard let bytes = try? disk.read(name, from: 0, most: Self.longestFile),
            var scan = SegmentScan(bytes, ordinal: ordinal), scan.segment.first >= end
        else {
            // An empty file is one that was not begun.
            isDamaged = isDamaged || size > 0
            recovery.damagedBytes += size
            // What cannot be removed stays, and is skipped the next time too.
            try? disk.remove(name)
            return
        }
        enter(scan.segment.head, isWhole: scan.hasHead)
        while let record = scan.next() {
            switch record.content {
            case .acknowledged(let ranges): for range in ranges { acknowledged.insert(range) }
            case .message(let stream, let message):
                if case .loss(let loss) = message.form {
                    reports.append((scan.segment.head.streams[stream].name, loss, record.serial))
                }
                if let spooled = SpooledMessage(record, in: scan.segment) {
                    let lasted = record.bootNanoseconds &- scan.segment.began
                    visit(spooled, scan.segment.head.bootID, scan.segment.head.utcMicroseconds &+ lasted / 1_000)
                }
            case .head, .copy, .ended: break
            }
        }
        for range in scan.lostSerials.ranges { acknowledged.insert(range) }
        if size > scan.segment.bytes { try? disk.cut(name, to: scan.segment.bytes) }
        leave(scan)
        assert(scan.segment.first <= scan.segment.end && end <= scan.segment.end, "segments follow each other")
        end = scan.segment.end
        segments.append(scan.segment)
    }

    /// The next segment begins; `isWhole`: with its own head, and not with that of a copy.
    private mutating func enter(_ head: SegmentHead, isWhole: Bool) {
        if recovery.epoch == nil, !isDamaged, isWhole {
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
        isDamaged = false
    }

    /// The segment was read to its end.
    private mutating func leave(_ scan: SegmentScan) {
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

    private mutating func lose(_ epoch: Identity, from: [String: UInt64], to: [(name: String, next: UInt64)]) {
        for stream in to {
            let first = from[stream.name] ?? 1
            guard first < stream.next else { continue }
            losses.append((stream.name, Loss(epoch: epoch, numbers: first...stream.next - 1, cause: .corrupted)))
        }
    }
}
