/// What a disk holds when the spool is opened.
struct Findings {
    private(set) var segments: [Segment] = []
    private(set) var nextOrdinal: UInt64 = 1
    private(set) var end: UInt64 = 1
    private(set) var acknowledged = NumberSet()
    private(set) var losses: [(stream: String, loss: Loss, serial: UInt64)] = []
    var walk = RecoveryWalk()

    /// More than any segment of ours has.
    private static let longestFile = Record.longestBody + (2 << 20)

    /// Reads every segment, cuts damaged ends, and removes what is no segment or out of order.
    init(_ disk: any SpoolDisk, _ visit: Spool.Visitor) throws(DiskFailure) {
        let ordinals = try disk.names().compactMap(Segment.ordinal).sorted()
        for ordinal in ordinals { take(ordinal, disk, visit) }
        nextOrdinal = (ordinals.last ?? 0) + 1
    }

    private mutating func take(_ ordinal: UInt64, _ disk: any SpoolDisk, _ visit: Spool.Visitor) {
        let name = Segment.name(ordinal)
        let size = (try? disk.size(of: name)) ?? 0
        guard let bytes = try? disk.read(name, from: 0, most: Self.longestFile),
            var scan = SegmentScan(bytes, ordinal: ordinal), scan.segment.first >= end
        else {
            walk.skip(bytes: size)
            // What cannot be removed stays, and is skipped the next time too.
            try? disk.remove(name)
            return
        }
        walk.enter(scan.segment.head, isWhole: scan.hasHead)
        while let record = scan.next() {
            switch record.content {
            case .acknowledged(let ranges): for range in ranges { acknowledged.insert(range) }
            case .message(let stream, let message):
                if case .loss(let loss) = message.form {
                    losses.append((scan.segment.head.streams[stream].name, loss, record.serial))
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
        walk.leave(scan)
        assert(scan.segment.first <= scan.segment.end && end <= scan.segment.end, "segments follow each other")
        end = scan.segment.end
        segments.append(scan.segment)
    }
}
