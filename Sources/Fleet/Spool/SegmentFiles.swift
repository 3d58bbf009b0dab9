/// The segments on a disk, oldest first: the newest one takes records, and they go as a whole.
struct SegmentFiles {
    private(set) var all: [Segment]
    /// Why the newest record could not be written; nil if it was.
    private(set) var failure: DiskFailure? {
        didSet { if failure != nil { failures += 1 } }
    }
    /// Whether there is anything that a power cut would lose.
    private(set) var isUnsynced = false
    /// Whether the newest segment takes further records.
    private(set) var takesRecords = false
    /// How often the disk did not do what it was asked.
    private(set) var failures: UInt64 = 0

    private let disk: any SpoolDisk
    private var nextOrdinal: UInt64
    /// Segments whose messages are reported lost: they go once that is written down for good.
    private var doomed: [String] = []
    private var readers = SegmentReaders()
    /// How long the newest segment is when its head is to be copied.
    private var copyDue = 0

    /// At first each time that a segment has doubled, then after so many bytes.
    private static var copySpacing: (least: Int, most: Int) { (2 << 10, 64 << 10) }

    init(_ disk: any SpoolDisk, _ segments: [Segment], nextOrdinal: UInt64) {
        self.disk = disk
        all = segments
        self.nextOrdinal = nextOrdinal
        assert(
            zip(segments, segments.dropFirst()).allSatisfy { $0.end <= $1.first && $0.ordinal < $1.ordinal },
            "segments follow each other")
    }

    var bytes: Int { all.reduce(0) { $0 + $1.bytes } }

    /// Whether the newest segment takes so many bytes more, if a segment has at most some.
    func takes(_ size: Int, most: Int) -> Bool {
        guard takesRecords, let last = all.last else { return false }
        return last.bytes + size <= most || last.end == last.first
    }

    /// Whether a copy of the head is to be written now.
    var needsCopy: Bool { takesRecords && all.last.map { $0.bytes >= copyDue } ?? false }

    /// The newest segment takes no more records: the next head has to state what it cannot.
    mutating func end() { takesRecords = false }

    /// Segments that begin from now on have higher numbers than this one.
    mutating func skipOrdinals(to ordinal: UInt64) { nextOrdinal = max(nextOrdinal, ordinal + 1) }

    // MARK: Writing

    /// Begins a segment; whether the disk takes it.
    mutating func begin(
        _ head: SegmentHead, at serial: UInt64, _ bootNanoseconds: Int64, isSpent: (Segment) -> Bool
    ) -> Bool {
        assert(all.last.map { $0.end <= serial && $0.ordinal < nextOrdinal } ?? true, "a segment follows the others")
        let segment = Segment(ordinal: nextOrdinal, head: head, first: serial, began: bootNanoseconds)
        do throws(DiskFailure) { try disk.create(segment.name) } catch {
            failure = error
            return false
        }
        nextOrdinal += 1
        all.append(segment)
        guard append(Record(serial: serial, bootNanoseconds: bootNanoseconds, content: .head(head)), isSpent: isSpent)
        else {
            all.removeLast()
            try? disk.remove(segment.name)
            return false
        }
        takesRecords = true
        planCopy()
        return true
    }

    /// The head, or a copy of it, was written.
    mutating func planCopy() {
        let bytes = all.last?.bytes ?? 0
        copyDue = bytes + min(max(bytes, Self.copySpacing.least), Self.copySpacing.most)
    }

    /// Appends a record to the newest segment; if the disk is full, the oldest segments that are spent make room.
    mutating func append(_ record: Record, isSpent: (Segment) -> Bool) -> Bool {
        guard let last = all.last else { return false }
        assert(record.serial == last.end, "a record has the serial that comes next")
        let bytes = record.bytes
        while true {
            do throws(DiskFailure) {
                try disk.append(bytes, to: last.name)
                break
            } catch {
                failure = error
                guard error.isFull, all.count > 1, let oldest = all.first, isSpent(oldest), removeOldest() else {
                    // What a broken disk has made of the file is unknown.
                    if !error.isFull { takesRecords = false }
                    return false
                }
            }
        }
        failure = nil
        isUnsynced = true
        all[all.count - 1].take(record, bytes: bytes.count)
        return true
    }

    /// Begins to write everything down for good; then what is doomed goes, if it may.
    mutating func sync(mayRemove: Bool) {
        guard isUnsynced else { return }
        disk.sync(thenRemoving: mayRemove ? doomed : [])
        if mayRemove { doomed = [] }
        isUnsynced = false
    }

    // MARK: Removing

    /// Removes the oldest segment, of which nothing is needed any more; whether the disk did.
    mutating func removeOldest() -> Bool {
        guard let oldest = all.first else { return false }
        do throws(DiskFailure) { try disk.remove(oldest.name) } catch {
            failure = error
            return false
        }
        forgetOldest()
        return true
    }

    /// Gives the oldest segment up: its file goes with the next sync.
    mutating func doomOldest() {
        guard let oldest = all.first else { return }
        doomed.append(oldest.name)
        isUnsynced = true
        forgetOldest()
    }

    private mutating func forgetOldest() { readers.forget(all.removeFirst().ordinal) }

    // MARK: Reading

    /// The segment with a serial; nil if none has it.
    func segment(of serial: UInt64) -> Segment? {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].end <= serial { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].first <= serial ? all[low] : nil
    }

    /// The message at a serial of a segment; nil if it cannot be read.
    mutating func message(at serial: UInt64, in segment: Segment) -> SpooledMessage? {
        readers.message(at: serial, in: segment, disk)
    }

    /// The messages of a segment that can be read.
    func messages(of segment: Segment) -> [SpooledMessage] {
        guard let bytes = try? disk.read(segment.name, from: 0, most: segment.bytes) else { return [] }
        var scan = SegmentScan(bytes, of: segment)
        var messages: [SpooledMessage] = []
        while let record = scan.next() {
            if let message = SpooledMessage(record, in: segment) { messages.append(message) }
        }
        return messages
    }
}
