internal import Fleet
internal import Spool
internal import Varlink

/// The last message of each stream in a recording, and where it stands.
///
/// A recording is continued from its end, and a stream with few messages would be forgotten there once others have
/// filled it. So the marks of those that were silent for a while are written again: the end of the file has all of
/// them, whenever the program is killed.
struct LastMessages {
    /// The newest number of a stream in a file.
    struct Mark: Equatable {
        let resource: String
        let epoch: Identity
        let number: UInt64
        /// CLOCK_BOOTTIME of what was measured last: the beginning of a gap that follows.
        var stamp: Int64?
    }

    private var last: [String: (mark: Mark, end: Int)] = [:]
    private var length = 0
    /// Of the reading before a mark.
    private var stamp: Int64?
    /// No more often than this, since a host may have as many streams as it likes.
    private var due = 0

    /// With what is written until the next ones, a mark is at most twice as far before the end; the rest is room for the marks.
    private static let step = RecordingPath.tailBytes / 4

    /// The marks, as the end of a file has them.
    var marks: [Mark] { last.values.map(\.mark) }

    /// A line of the file that is continued, which ends here; the mark that it is, if it is one.
    mutating func resume(_ line: JSONObject, end: Int) -> Mark? {
        length = end
        if line["recording"] != nil { stamp = nil }
        if line["sequence"] != nil { stamp = MessageSpan.last(of: line) }
        guard let members = line.object("message"), let resource = members.string("resource"),
            let epoch = members.identity("epoch"),
            let number = members.integer("number"), number > 0
        else { return nil }
        let mark = Mark(
            resource: resource, epoch: epoch, number: UInt64(number),
            stamp: stamp.take() ?? members.integer("lastNanoseconds"))
        put(mark)
        return mark
    }

    /// CLOCK_BOOTTIME of what a stream measured last in an epoch.
    func stamp(of resource: String, in epoch: Identity) -> Int64? {
        guard let mark = last[resource]?.mark, mark.epoch == epoch else { return nil }
        return mark.stamp
    }

    /// So many bytes are written, at whose end is this mark; the marks that are to follow.
    ///
    /// They stand behind a message, since the first mark behind a header states the epoch of the session.
    mutating func lines(after mark: Mark, bytes: Int) -> [UInt8] {
        length += bytes
        put(mark)
        guard length >= due else { return [] }
        let silent = last.values.filter { length - $0.end >= Self.step }.sorted { $0.end < $1.end }
        var lines: [UInt8] = []
        for entry in silent {
            lines += RecordedLines.mark(entry.mark)
            last[entry.mark.resource] = (entry.mark, length + lines.count)
        }
        length += lines.count
        due = length + Self.step
        return lines
    }

    private mutating func put(_ mark: Mark) {
        var mark = mark
        mark.stamp = mark.stamp ?? stamp(of: mark.resource, in: mark.epoch)
        last[mark.resource] = (mark, length)
    }
}
