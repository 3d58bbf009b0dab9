/// How long ago the files of a recording were last written, also if the wall clock is wrong, or set meanwhile; pure.
///
/// A host without a battery for its clock learns the time from the network: the clock jumps by days, and what was
/// recorded a minute ago seems to be that old. Nobody knows by which clock a file was stamped. So it is old only if it
/// is so both by the clock as it is now and by the one that this began with, had that gone on; but it is at least as
/// old as it has been seen. While the clock follows no reference, it may have been years ahead since the host was
/// started, and nobody knows for how long that was off: no file is older because of that time.
struct FileAges {
    private let beganBoot: Int64
    private let beganUTC: Int64
    /// When each file was first seen as it is, by CLOCK_BOOTTIME.
    private var seen: [Rotation.File: Int64] = [:]
    /// The clocks when the files were seen last.
    private var boot: Int64
    private var utc: Int64
    /// When the newest file from before the host was started was last written; nil: the clock follows a reference.
    private var stopped: Int64?

    /// Ages from here on, by both clocks.
    init(bootNanoseconds: Int64, utcNanoseconds: Int64) {
        (beganBoot, beganUTC) = (bootNanoseconds, utcNanoseconds)
        (boot, utc) = (bootNanoseconds, utcNanoseconds)
    }

    /// These are all files at an instant, when the wall clock followed a reference, or not; nil: nobody knows.
    mutating func see(_ files: [Rotation.File], bootNanoseconds: Int64, utcNanoseconds: Int64, isSynchronized: Bool?) {
        (boot, utc) = (bootNanoseconds, min(utcNanoseconds, beganUTC + (bootNanoseconds - beganBoot)))
        seen = Dictionary(files.map { ($0, seen[$0] ?? boot) }) { first, _ in first }
        let former = files.filter { $0.modifiedNanoseconds < started }
        stopped = isSynchronized == true ? nil : former.max { $0.name < $1.name }?.modifiedNanoseconds
    }

    /// How old a file was for certain when it was seen last.
    func age(of file: Rotation.File) -> Int64 {
        let isFormer = file.modifiedNanoseconds < started
        let from = isFormer ? stopped ?? started : started
        let (age, overflow) = (boot + from).subtractingReportingOverflow(file.modifiedNanoseconds)
        // A file is stamped ahead of the clock that this began with once that has been set.
        return max(overflow ? 0 : age, boot - (seen[file] ?? boot))
    }

    /// When the host was started, by the clock.
    private var started: Int64 { utc - boot }
}
