/// How long ago the files of a recording were last written, also if the wall clock is set meanwhile; pure.
///
/// A host without a battery for its clock learns the time from the network: the clock jumps by days, and what was
/// recorded a minute ago seems to be that old. Nobody knows by which clock a file was stamped. So it is old only if it
/// is so both by the clock as it is now and by the one that this began with, had that gone on; but it is at least as
/// old as it has been seen.
struct FileAges {
    private let beganBoot: Int64
    private let beganUTC: Int64
    /// When each file was first seen as it is, by CLOCK_BOOTTIME.
    private var seen: [Rotation.File: Int64] = [:]

    /// Ages from here on, by both clocks.
    init(bootNanoseconds: Int64, utcNanoseconds: Int64) { (beganBoot, beganUTC) = (bootNanoseconds, utcNanoseconds) }

    /// These are all files at an instant.
    mutating func see(_ files: [Rotation.File], bootNanoseconds now: Int64) {
        seen = Dictionary(files.map { ($0, seen[$0] ?? now) }) { first, _ in first }
    }

    /// How old a file is for certain.
    func age(of file: Rotation.File, bootNanoseconds now: Int64, utcNanoseconds utc: Int64) -> Int64 {
        let utc = min(utc, beganUTC + (now - beganBoot))
        let (age, overflow) = utc.subtractingReportingOverflow(file.modifiedNanoseconds)
        // A file is stamped ahead of the clock that this began with once that has been set.
        return max(overflow ? 0 : age, now - (seen[file] ?? now))
    }
}
