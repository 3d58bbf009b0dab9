internal import Formats

/// When a recording begins a new file, and which of the former ones go; pure.
struct Rotation: Equatable {
    /// A file of the recording.
    struct File: Hashable {
        let name: String
        let bytes: Int64
        /// When it was last written, since 1970, by the wall clock of that time.
        let modifiedNanoseconds: Int64
    }

    /// A new file begins at each whole multiple of this in UTC, such as at each full hour.
    var everyNanoseconds: Int64?
    /// No file is longer than this.
    var fileBytes: Int64?
    /// Files that were last written longer ago than this are deleted.
    var keepNanoseconds: Int64?
    /// All files together are no longer than this; the oldest are deleted.
    var totalBytes: Int64?

    /// The longest file, at most a quarter of all of them: a file is deleted as a whole.
    private var mostBytes: Int64 { min(fileBytes ?? .max, totalBytes.map { max(1, $0 / 4) } ?? .max) }

    /// Whether lines belong into a new file.
    ///
    /// A file holds one reply at least, however long that is. If the clock is set back, a file may begin early.
    func isDue(begunNanoseconds begun: Int64, bytes: Int64, adding count: Int64, nowNanoseconds now: Int64) -> Bool {
        if let every = everyNanoseconds, Self.period(of: begun, every) != Self.period(of: now, every) { return true }
        let (sum, overflow) = bytes.addingReportingOverflow(count)
        return bytes > 0 && (overflow || sum > mostBytes)
    }

    /// Deletes files, oldest first: those that are too old, and as many as the present one needs room; returns the length of
    /// the others.
    ///
    /// The order of the names is that in which they were begun. What `delete` could not delete goes on to take room.
    func trim(
        _ files: [File], old: Set<File>, presentBytes: Int64, delete: (File) -> Bool
    ) -> Int64 {
        var left = files.reduce(presentBytes) { $0.addingReportingOverflow($1.bytes).partialValue }
        for file in files.sorted(by: { $0.name < $1.name }) {
            assert(file.bytes >= 0)
            if old.contains(file) || totalBytes.map({ left > $0 }) ?? false, delete(file) { left -= file.bytes }
        }
        return left - presentBytes
    }

    private static func period(of instant: Int64, _ length: Int64) -> Int64 {
        let quotient = instant / length
        return instant % length < 0 ? quotient - 1 : quotient
    }
}

/// The names of a rotated recording's files; pure.
///
/// `drive.ndjson.zst` becomes `drive-20261123T060000.123Z.ndjson.zst`. Their order is that in which the files were begun, also
/// if the clock was set back.
struct SeriesName: Equatable {
    /// The directory, with its slash; empty for the present one.
    let directory: String
    private let stem: String
    private let suffix: String

    /// The names that follow from the path of a recording.
    init(_ path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        directory = String(path[..<start])
        let file = path[start...]
        // The first character may be the dot of a hidden file.
        let dots = file.indices.dropFirst().filter { file[$0] == "." }
        let count = file.hasSuffix(".zst") ? 2 : 1
        let cut = dots.suffix(count).first ?? file.endIndex
        (stem, suffix) = (String(file[..<cut]), String(file[cut...]))
    }

    /// The name for a file that begins now, after the newest one; nil: there is none.
    func name(utcMicroseconds now: Int64, after newest: String?) -> String {
        let last = newest.flatMap { time(of: $0) }
        // A file of the same millisecond, or from before the clock was set back.
        let begun = max(now / 1_000, last.map { $0 + 1 } ?? .min)
        return stem + "-" + Self.text(milliseconds: begun) + suffix
    }

    /// Whether a file is one of this recording, by its name.
    func has(_ name: String) -> Bool { time(of: name) != nil }

    private func time(of name: String) -> Int64? {
        guard name.hasPrefix(stem + "-"), name.hasSuffix(suffix) else { return nil }
        let text = name.dropFirst(stem.count + 1).dropLast(suffix.count)
        let shape = text.map { $0.isASCII && $0.isNumber ? "0" : $0 }
        guard String(shape) == "00000000T000000.000Z" else { return nil }
        let parts = Array(text)
        let date = "\(String(parts[0..<4]))-\(String(parts[4..<6]))-\(String(parts[6..<8]))"
        let clock = "\(String(parts[9..<11])):\(String(parts[11..<13])):\(String(parts[13...]))"
        return CalendarTime.microseconds("\(date)T\(clock)").map { $0 / 1_000 }
    }

    private static func text(milliseconds: Int64) -> String {
        let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000)
        let whole = CalendarTime.text(microseconds: seconds * 1_000_000).filter { $0 != "-" && $0 != ":" && $0 != "Z" }
        return whole + "." + String("\(1_000 + rest)".dropFirst()) + "Z"
    }
}
