internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs

/// Where `record` writes: into one file, or into one after the other.
///
/// Each file is a recording of its own. Former files are deleted as the rotation demands. While the disk is full, a rotated
/// recording waits for room; without a rotation, that ends it.
struct RecordingSeries: ~Copyable {
    /// How often lines are completed that a compressor holds back.
    private static let flushNanoseconds: Int64 = 1_000_000_000
    /// How often it is made sure that what was written is on the disk.
    private static let syncNanoseconds: Int64 = 5_000_000_000
    /// How often it is tried whether a full disk has room again.
    private static let retryNanoseconds: Int64 = 5_000_000_000

    private let path: String
    private let rotation: Rotation?
    private let series: SeriesName
    private let former: FormerFiles
    /// How many files have been begun.
    private var fileCount = 0
    private var file: RecordingFile?
    private var begunNanoseconds: Int64 = 0
    /// The newest name, and the length of all files but the present one.
    private var newest: String?
    /// The first name that it gave, and how far the wall clock was ahead when files were stamped.
    private var first: String?
    private var lead = WallClockOffset.nanoseconds
    private let began = Clock.bootNanoseconds()
    private var formerBytes: Int64 = 0
    /// The length of the files that this program has completed.
    private var writtenBytes: Int64 = 0
    /// When a file is tried again, by CLOCK_BOOTTIME; nil: the disk is not full.
    private var retryAt: Int64?
    private var lastTrouble: Failure?
    private var surplusAt: Int64 = 0
    private var flushAt: Int64?
    private var syncAt: Int64?
    private var ages = FileAges(
        bootNanoseconds: Clock.bootNanoseconds(), utcNanoseconds: Clock.realtimeNanoseconds())
    private let disk = BackgroundSync()
    /// Whether everything that was added is in a file, where it can be read.
    private(set) var isFlushed = true

    /// Files at a path; without a rotation, it is the only one.
    init(_ path: String, _ rotation: Rotation?) {
        self.path = path
        self.rotation = rotation
        series = SeriesName(path)
        former = FormerFiles(names: series)
    }

    /// What was written, for people: the file, or how many and the last one.
    var names: String {
        guard rotation != nil, let newest else { return path }
        return (fileCount > 1 ? "\(fileCount) files, the last is " : "") + series.directory + newest
    }

    /// The length of what was written.
    var bytes: Int64 {
        switch file {
        case .some(let file): writtenBytes + file.bytes
        case .none: writtenBytes
        }
    }

    /// The most that it will be once everything is written that is held back.
    private var mostBytes: Int64 { bytes + heldBytes }

    private var heldBytes: Int64 {
        switch file {
        case .some(let file): file.heldBytes
        case .none: 0
        }
    }

    /// Whether a further file must be begun before lines can be added, or may be tried.
    mutating func needsFile(adding count: Int, now: Int64) throws(Failure) -> Bool {
        while file != nil, let rotation,
            rotation.isDue(
                begunNanoseconds: begunNanoseconds, bytes: mostBytes - writtenBytes, adding: Int64(count),
                nowNanoseconds: Clock.realtimeNanoseconds())
        {
            // How short those are that are held back is known once they are completed.
            guard heldBytes > 0 else { return true }
            try flush(now: now)
        }
        return file == nil && retryAt.map { $0 <= now } ?? true
    }

    /// Whether lines fit into so many bytes.
    mutating func fits(adding count: Int, in most: Int64, now: Int64) throws(Failure) -> Bool {
        if heldBytes > 0, mostBytes + Int64(count) > most { try flush(now: now) }
        return mostBytes + Int64(count) <= most
    }

    /// Why nothing is written at present; nil: everything is.
    var trouble: Failure? { retryAt == nil ? nil : lastTrouble }

    /// Begins a file with its first lines.
    ///
    /// If the disk is full, and this is a rotated recording, it is tried again later.
    mutating func begin(_ opening: [UInt8], now: Int64) throws(Failure) {
        do throws(Failure) { try close() } catch { return try wait(after: error, now: now) }
        guard let rotation else {
            file = try RecordingFile(path)
            try append(opening, now: now)
            return
        }
        restamp(now: now)
        let present = Clock.realtimeNanoseconds()
        deleteSurplus(rotation, adding: Int64(opening.count), present, now)
        let name = series.name(utcMicroseconds: present / 1_000, after: newest)
        do throws(Failure) {
            file = try RecordingFile(series.directory + name, isNew: true)
            (newest, first, begunNanoseconds) = (name, first ?? name, present)
            fileCount += 1
            try file?.append(opening)
            try file?.flush()
            isFlushed = true
            retryAt = nil
            syncAt = now + Self.syncNanoseconds
        } catch {
            // An empty file would be of no use.
            if file?.bytes == 0 { unsafe unlink(series.directory + name) }
            try wait(after: error, now: now)
        }
    }

    /// Adds lines to the present file, if there is one.
    mutating func append(_ lines: [UInt8], now: Int64) throws(Failure) {
        isFlushed = false
        guard file != nil else { return }
        if let rotation, let total = rotation.totalBytes, surplusAt <= now,
            formerBytes + mostBytes - writtenBytes + Int64(lines.count) > total
        {
            deleteSurplus(rotation, adding: Int64(lines.count), Clock.realtimeNanoseconds(), now)
        }
        do throws(Failure) { try file?.append(lines) } catch { return try wait(after: error, now: now) }
        isFlushed = heldBytes == 0
        flushAt = flushAt ?? now + Self.flushNanoseconds
        syncAt = syncAt ?? now + Self.syncNanoseconds
    }

    /// When `keepUp` has something to do; nil: nothing.
    var deadline: Int64? { [flushAt, syncAt].compactMap { $0 }.min() }

    /// Completes lines that are held back, and has files written to the disk, if it is time.
    mutating func keepUp(now: Int64) throws(Failure) {
        if let due = flushAt, due <= now {
            try flush(now: now)
        }
        if let due = syncAt, due <= now {
            syncAt = nil
            if let descriptor = file?.duplicate() { disk.sync(descriptor, series.directory) }
        }
    }

    /// Completes lines that are held back.
    private mutating func flush(now: Int64) throws(Failure) {
        flushAt = nil
        do throws(Failure) {
            try file?.flush()
            isFlushed = true
        } catch { try wait(after: error, now: now) }
    }

    private mutating func close() throws(Failure) {
        guard file != nil else { return }
        try file?.finish()
        isFlushed = true
        if let descriptor = file?.duplicate() { disk.sync(descriptor, series.directory) }
        leave()
    }

    /// Completes everything, and waits until it is on the disk.
    mutating func finish() throws(Failure) {
        guard file != nil else { return }
        try file?.finish()
        isFlushed = true
        file?.sync()
        leave()
    }

    private mutating func leave() {
        writtenBytes += file?.bytes ?? 0
        file = nil
        (flushAt, syncAt) = (nil, nil)
    }

    private mutating func wait(after failure: Failure, now: Int64) throws(Failure) {
        leave()
        guard rotation != nil, failure.status == .inputOutput else { throw failure }
        lastTrouble = failure
        retryAt = now + Self.retryNanoseconds
    }

    /// A clock that is set gives what was written before it the right time, by which the next program deletes it.
    private mutating func restamp(now: Int64) {
        let (former, present) = (lead, WallClockOffset.nanoseconds)
        guard abs(present - former) > RecordingFormat.clockStepNanoseconds else { return }
        lead = present
        guard let first else { return }
        self.former.restamp(
            from: first, in: (began + former)...(max(began, now) + former), by: present - former)
    }

    private mutating func deleteSurplus(
        _ rotation: Rotation, adding count: Int64, _ present: Int64, _ now: Int64
    ) {
        let files = former.all().filter { file == nil || $0.name != newest }
        if file == nil { newest = (files.map(\.name) + [newest].compactMap { $0 }).max() }
        var old: Set<Rotation.File> = []
        if let keep = rotation.keepNanoseconds {
            ages.see(
                files, bootNanoseconds: now, utcNanoseconds: present, isSynchronized: Clock.followsReference,
                former.followedReference)
            old = ages.old(longerThan: keep, former.followedReference)
        }
        let length = mostBytes - writtenBytes + count
        formerBytes = rotation.trim(files, old: old, presentBytes: length, delete: former.delete)
        // What cannot be deleted is not tried again at once.
        surplusAt = formerBytes + length > rotation.totalBytes ?? .max ? now + Self.flushNanoseconds : now
    }
}
