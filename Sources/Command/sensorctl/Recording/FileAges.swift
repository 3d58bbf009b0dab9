/// How long ago the files of a recording were last written, also if the wall clock is wrong, or set meanwhile; pure.
///
/// A host without a battery for its clock learns the time from the network: the clock jumps by days, and what was
/// recorded a minute ago seems to be that old. Nobody knows by which clock a file was stamped. So it is old only if it
/// is so both by the clock as it is now and by the one that this began with, had that gone on; but it is at least as
/// old as it has been seen. While the clock follows no reference, it may have been years ahead since the host was
/// started, and nobody knows for how long that was off: no file is older because of that time.
///
/// A file that was begun by a clock without a reference has any stamp. It was written before the next one of which the
/// time is known, and is as old as that.
struct FileAges {
    /// Whether the clock followed a reference when a file was begun; nil: nobody knows.
    typealias Reference = (Rotation.File) -> Bool?

    /// How many files are asked at most for the time up to which the clock was right: each has to be opened.
    private static let mostAsked = 100
    private let beganBoot: Int64
    private let beganUTC: Int64
    /// When each file was first seen as it is, by CLOCK_BOOTTIME.
    private var seen: [Rotation.File: Int64] = [:]
    /// All files, in the order in which they were begun.
    private var files: [Rotation.File] = []
    /// The clocks when the files were seen last, and whether the second one followed a reference.
    private var boot: Int64
    private var utc: Int64
    private var isSynchronized: Bool?
    /// When the newest file from before the host was started was last written; nil: the clock follows a reference.
    private var stopped: Int64?

    /// Ages from here on, by both clocks.
    init(bootNanoseconds: Int64, utcNanoseconds: Int64) {
        (beganBoot, beganUTC) = (bootNanoseconds, utcNanoseconds)
        (boot, utc) = (bootNanoseconds, utcNanoseconds)
    }

    /// These are all files at an instant, when the wall clock followed a reference, or not; nil: nobody knows.
    mutating func see(
        _ files: [Rotation.File], bootNanoseconds: Int64, utcNanoseconds: Int64, isSynchronized: Bool?,
        _ reference: Reference
    ) {
        (boot, utc) = (bootNanoseconds, min(utcNanoseconds, beganUTC + (bootNanoseconds - beganBoot)))
        seen = Dictionary(files.map { ($0, seen[$0] ?? boot) }) { first, _ in first }
        self.files = files.sorted { $0.name < $1.name }
        self.isSynchronized = isSynchronized
        stopped = nil
        guard isSynchronized != true else { return }
        let former = self.files.filter { $0.modifiedNanoseconds < started }
        stopped = (former.suffix(Self.mostAsked).last { reference($0) != false } ?? former.last)?.modifiedNanoseconds
    }

    /// The files that were last written longer ago than this, for certain.
    func old(longerThan nanoseconds: Int64, _ reference: Reference) -> Set<Rotation.File> {
        var old: Set<Rotation.File> = []
        var next = 0
        for (index, file) in files.enumerated() {
            var isOld = age(of: file) > nanoseconds
            // Whether a stamp can be believed is looked up in the file, so that is asked only where it counts.
            if isOld || stampedAge(of: file) < 0, reference(file) == false {
                next = max(next, index + 1)
                while next < files.count, reference(files[next]) != true { next += 1 }
                isOld = next < files.count ? age(of: files[next]) > nanoseconds : isOld && isSynchronized != true
            }
            if isOld { old.insert(file) }
        }
        return old
    }

    /// How old a file was for certain when it was seen last, if it has the right stamp.
    func age(of file: Rotation.File) -> Int64 {
        // A file is stamped ahead of the clock that this began with once that has been set.
        max(stampedAge(of: file), boot - (seen[file] ?? boot))
    }

    private func stampedAge(of file: Rotation.File) -> Int64 {
        let isFormer = file.modifiedNanoseconds < started
        let from = isFormer ? stopped ?? started : started
        let (age, overflow) = (boot + from).subtractingReportingOverflow(file.modifiedNanoseconds)
        return overflow ? 0 : age
    }

    /// When the host was started, by the clock.
    private var started: Int64 { utc - boot }
}
